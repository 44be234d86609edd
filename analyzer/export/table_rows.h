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

namespace ringside::exporting {

using Cell = std::variant<std::monostate, std::int64_t, double, std::string_view>;

struct ColumnType {
    std::string name;
    const char* sqlType; ///< "INTEGER NOT NULL" ...
};

class TableSink {
public:
    virtual ~TableSink() = default;
    /// Starts a table: the rows that follow belong to it. Each table occurs once.
    virtual void table(const char* name, std::span<const ColumnType> columns) = 0;
    virtual void row(std::span<const Cell> cells) = 0;
};

/// Visits every table, also empty ones. Column `process_id` numbers the run's processes from 1.
void visitTables(const trace::RunTrace& run, TableSink& sink);

} // namespace ringside::exporting
