// SPDX-License-Identifier: Apache-2.0
// A folder with one Arrow file for each table, for data frames: programs map it and copy nothing.
#include "export/arrow_file.h"
#include "export/exporter.h"
#include "export/new_folder.h"
#include "trace/read/parallel.h"

#include <optional>

namespace ringside::exporting::exporter_arrow {
namespace {

class Table final : public TableSink {
public:
    explicit Table(const std::filesystem::path& folder) : m_folder(folder) {}
    void table(const char* name, std::span<const ColumnType> columns) override
    {
        m_file.emplace(m_folder / (std::string(name) + ".arrow"), columns);
    }
    void row(std::span<const Cell> cells) override { m_file->row(cells); }
    void block(const Block& block) override { m_file->block(block); }
    void close() { m_file->close(); }

private:
    const std::filesystem::path& m_folder;
    std::optional<ArrowFile> m_file;
};

void writeTables(const trace::RunTrace& run, const std::filesystem::path& output)
{
    NewFolder folder(output);
    trace::parallelFor(tableCount(), trace::coreCount(), [&](std::size_t i) {
        Table table(folder.path());
        visitTable(run, i, table);
        table.close();
    });
    folder.keep();
}

} // namespace

RINGSIDE_EXPORTER(arrow, .title = "a folder with one Arrow file for each table", .writeTables = writeTables);

} // namespace ringside::exporting::exporter_arrow
