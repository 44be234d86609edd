// SPDX-License-Identifier: Apache-2.0
// One SQLite file with plain rows only, for programs that cannot load ringside_sqlite: the same tables, about
// ten times as large. Ringside cannot open it as a run; use `ringside merge` for that.
#include "export/exporter.h"
#include "export/table_rows.h"
#include "output/output_file.h"
#include "trace/write/database.h"

#include <fmt/format.h>

#include <optional>

namespace ringside::exporting::exporter_sqlite {
namespace {

class File final : public TableSink {
public:
    /// `path` must be an empty file.
    explicit File(const std::filesystem::path& path) : m_database(path, SQLITE_OPEN_READWRITE)
    {
        m_database.execute("PRAGMA synchronous = OFF");
        m_database.execute("BEGIN");
    }

    void table(const char* name, std::span<const ColumnType> columns) override
    {
        std::string definitions;
        std::string places;
        for (const ColumnType& column : columns) {
            definitions +=
                fmt::format("{}{} {}", definitions.empty() ? "" : ", ", column.name, column.sqlType);
            places += places.empty() ? "?" : ", ?";
        }
        m_database.execute(fmt::format("CREATE TABLE {} ({}) STRICT", name, definitions));
        m_insert.emplace(m_database, fmt::format("INSERT INTO {} VALUES ({})", name, places));
    }

    void row(std::span<const Cell> cells) override
    {
        for (std::size_t i = 0; i < cells.size(); ++i) {
            const int index = static_cast<int>(i) + 1;
            std::visit(
                [&](const auto& value) {
                    if constexpr (std::is_same_v<std::decay_t<decltype(value)>, std::monostate>) {
                        m_insert->bind(index, std::optional<std::int64_t>());
                    } else {
                        m_insert->bind(index, value);
                    }
                },
                cells[i]);
        }
        m_insert->run();
    }

    void close()
    {
        m_insert.reset();
        m_database.execute("COMMIT");
    }

private:
    trace::Database m_database;
    std::optional<trace::Statement> m_insert;
};

void writeTables(const trace::RunTrace& run, const std::filesystem::path& output)
{
    output::OutputFile made(output); // SQLite would create it readable by all users
    File file(output);
    visitTables(run, file);
    file.close();
    made.close();
}

} // namespace

RINGSIDE_EXPORTER(sqlite, .title = "one SQLite file with plain rows", .ending = "db",
                  .writeTables = writeTables);

} // namespace ringside::exporting::exporter_sqlite
