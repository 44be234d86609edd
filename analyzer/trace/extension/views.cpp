// SPDX-License-Identifier: Apache-2.0
// A view over the virtual tables. It is temporary, because a trace is never changed. Compiled twice, like the
// virtual tables.
#include "trace/extension/views.h"

#include <initializer_list>
#include <set>
#include <string>

namespace ringside::trace {
namespace {

std::set<std::string> columnsOf(sqlite3* database, const char* table)
{
    std::set<std::string> columns;
    const std::string sql = std::string("SELECT name FROM pragma_table_info('") + table + "', 'main')";
    sqlite3_stmt* statement = nullptr;
    if (sqlite3_prepare_v2(database, sql.c_str(), -1, &statement, nullptr) == SQLITE_OK) {
        while (sqlite3_step(statement) == SQLITE_ROW) {
            columns.insert(reinterpret_cast<const char*>(sqlite3_column_text(statement, 0)));
        }
    }
    sqlite3_finalize(statement);
    return columns;
}

/// Returns a query of these columns. What an older trace lacks is NULL in it.
std::string selectOf(sqlite3* database, const char* table, std::initializer_list<const char*> columns)
{
    const std::set<std::string> present = columnsOf(database, table);
    std::string sql;
    for (const char* const column : columns) {
        sql += sql.empty() ? "(SELECT " : ", ";
        sql += present.contains(column) ? std::string(column) : std::string("NULL AS ") + column;
    }
    return present.empty() ? sql + ")" : sql + " FROM main." + table + ")";
}

std::string viewSql(sqlite3* database)
{
    const std::string configurations =
        selectOf(database, "launch_configuration",
                 {"process_id", "id", "grid_x", "grid_y", "grid_z", "block_x", "block_y", "block_z",
                  "registers_per_thread", "static_shared_bytes", "dynamic_shared_bytes", "shared_bytes",
                  "estimated_occupancy_percent"});
    const std::string devices =
        selectOf(database, "device", {"process_id", "ordinal", "compute_major", "compute_minor"});
    return "CREATE TEMP VIEW IF NOT EXISTS " + std::string(kKernelView) +
           " AS SELECT k.process_id, start_ns, end_ns, demangled(text) AS kernel, device, stream,"
           " correlation, grid_x, grid_y, grid_z, block_x, block_y, block_z, registers_per_thread,"
           " static_shared_bytes, dynamic_shared_bytes, shared_bytes,"
           " theoretical_occupancy(compute_major, compute_minor, block_x * block_y * block_z,"
           " registers_per_thread, shared_bytes) AS theoretical_occupancy_percent,"
           " estimated_occupancy_percent"
           " FROM kernel AS k"
           " LEFT JOIN main.string AS s ON s.process_id = k.process_id AND s.id = k.name_id"
           " LEFT JOIN " +
           configurations +
           " AS c ON c.process_id = k.process_id AND c.id = k.configuration_id"
           " LEFT JOIN " +
           devices + " AS d ON d.process_id = k.process_id AND d.ordinal = k.device";
}

} // namespace

int createViews(sqlite3* database)
{
    if (columnsOf(database, "kernel_chunk").empty()) {
        return SQLITE_OK;
    }
    return sqlite3_exec(database, viewSql(database).c_str(), nullptr, nullptr, nullptr);
}

} // namespace ringside::trace
