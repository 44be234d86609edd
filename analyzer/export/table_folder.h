// SPDX-License-Identifier: Apache-2.0
// A folder with one file for each table of a run.
#pragma once
#include "export/new_folder.h"
#include "export/table_rows.h"
#include "trace/read/parallel.h"

#include <optional>

namespace ringside::exporting {

/// Writes each table to a File of its own, several at the same time. Throws Error (Io); then nothing is left.
template <class File>
void writeTableFolder(const trace::RunTrace& run, const std::filesystem::path& output, const char* ending)
{
    class Table final : public TableSink {
    public:
        Table(const std::filesystem::path& folder, const char* ending) : m_folder(folder), m_ending(ending) {}
        void table(const char* name, std::span<const ColumnType> columns) override
        {
            m_file.emplace(m_folder / (std::string(name) + m_ending), columns);
        }
        void row(std::span<const Cell> cells) override { m_file->row(cells); }
        void block(const Block& block) override
        {
            if constexpr (requires { m_file->block(block); }) {
                m_file->block(block);
            } else {
                TableSink::block(block);
            }
        }
        void close() { m_file->close(); }

    private:
        const std::filesystem::path& m_folder;
        const char* m_ending;
        std::optional<File> m_file;
    };

    NewFolder folder(output);
    trace::parallelFor(tableCount(), trace::coreCount(), [&](std::size_t i) {
        Table table(folder.path(), ending);
        visitTable(run, i, table);
        table.close();
    });
    folder.keep();
}

} // namespace ringside::exporting
