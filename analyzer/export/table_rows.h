// SPDX-License-Identifier: Apache-2.0
// All tables of a run as rows of cells, for exporters to tables, with the names, columns and values that SQL
// shows (trace/FORMAT.md). Beside each id of table string stands its text, in a column of its own at the end
// of the row: programs that read such tables do not join them.
#pragma once
#include <ringside/trace/reader.h>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace ringside::exporting {

using Cell = std::variant<std::monostate, std::int64_t, double, std::string_view>;

enum class ColumnKind : std::uint8_t { Integer, Real, Text };

struct ColumnType {
    std::string name;
    const char* sqlType; ///< "INTEGER NOT NULL" ...

    [[nodiscard]] ColumnKind kind() const
    {
        const std::string_view sql(sqlType);
        return sql.starts_with("TEXT")   ? ColumnKind::Text
               : sql.starts_with("REAL") ? ColumnKind::Real
                                         : ColumnKind::Integer;
    }
    [[nodiscard]] bool isNullable() const { return !std::string_view(sqlType).ends_with("NOT NULL"); }
};

/// Rows of a table whose columns are numbers, then texts, none of them null.
struct Block {
    const trace::ProcessTrace* process = nullptr; ///< of all rows
    std::vector<std::vector<std::int64_t>> numbers;
    std::vector<std::size_t> idsOf; ///< of each column of texts: the column of numbers that holds their ids
    std::size_t rows = 0;           ///< the length of each column, at most kBlockRows
};
inline constexpr std::size_t kBlockRows = 1 << 16;

class TableSink {
public:
    TableSink() = default;
    TableSink(const TableSink&) = delete;
    TableSink& operator=(const TableSink&) = delete;
    virtual ~TableSink() = default;
    /// Starts a table: the rows that follow belong to it. Each table occurs once.
    virtual void table(const char* name, std::span<const ColumnType> columns) = 0;
    virtual void row(std::span<const Cell> cells) = 0;
    /// Many rows at once, of the large tables. Passes each on to row(), unless a sink takes them as they are.
    virtual void block(const Block& block);
};

/// Visits every table, also empty ones. Column `process_id` numbers the run's processes from 1.
void visitTables(const trace::RunTrace& run, TableSink& sink);
/// Visits one of tableCount() tables. Several threads may visit tables of a run at the same time.
void visitTable(const trace::RunTrace& run, std::size_t table, TableSink& sink);
[[nodiscard]] std::size_t tableCount();

} // namespace ringside::exporting
