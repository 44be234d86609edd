// SPDX-License-Identifier: Apache-2.0
// A folder with one Arrow file for each table, for data frames: programs map it and copy nothing.
#include "export/arrow_file.h"
#include "export/exporter.h"
#include "export/new_folder.h"

#include <optional>

namespace ringside::exporting::exporter_arrow {
namespace {

class Folder final : public TableSink {
public:
    explicit Folder(const std::filesystem::path& path) : m_folder(path) {}
    void table(const char* name, std::span<const ColumnType> columns) override
    {
        close();
        m_file.emplace(m_folder.path() / (std::string(name) + ".arrow"), columns);
    }
    void row(std::span<const Cell> cells) override { m_file->row(cells); }
    void block(const Block& block) override { m_file->block(block); }
    void close()
    {
        if (m_file) {
            m_file->close();
        }
    }
    void keep() { m_folder.keep(); }

private:
    NewFolder m_folder;
    std::optional<ArrowFile> m_file;
};

void writeTables(const trace::RunTrace& run, const std::filesystem::path& output)
{
    Folder folder(output);
    visitTables(run, folder);
    folder.close();
    folder.keep();
}

} // namespace

RINGSIDE_EXPORTER(arrow, .title = "a folder with one Arrow file for each table", .writeTables = writeTables);

} // namespace ringside::exporting::exporter_arrow
