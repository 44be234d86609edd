// SPDX-License-Identifier: Apache-2.0
// SQL text of the schema, generated from the table descriptions. Process files and merged files have the same
// schema: every table has a process_id, which is kOnlyProcess in a process file.
#pragma once
#include "trace/tables.h"
#include "trace/write/database.h"

#include <string>
#include <vector>

namespace ringside::trace {

inline constexpr std::int64_t kOnlyProcess = 1;

/// Returns the pragmas and DDL of an empty trace, to be run outside a transaction on a new file.
std::string schemaSql();
/// Adds the tables and columns that are newer than the trace. Does nothing if it has them all.
void upgradeSchema(Database& database);

/// Returns the names of the columns of a plain or chunked table, in their order.
template <class Row>
std::vector<std::string> columnNames()
{
    std::vector<std::string> names;
    TableOf<Row>::forEachColumn([&](const char* name, auto...) { names.emplace_back(name); });
    return names;
}

/// Returns the columns of a plain table that may have no value, because files of the same version may lack
/// them.
template <class Row>
std::vector<std::string> optionalColumns()
{
    std::vector<std::string> names;
    TableOf<Row>::forEachColumn([&](const char* name, auto member) {
        if constexpr (requires(Row row) { (row.*member).has_value(); }) {
            names.emplace_back(name);
        }
    });
    return names;
}

template <class Row>
std::string columnList()
{
    std::string list;
    for (const std::string& name : columnNames<Row>()) {
        list += list.empty() ? name : ", " + name;
    }
    return list;
}

template <class Row>
std::string chunkTableName()
{
    return std::string(TableOf<Row>::kName) + "_chunk";
}

} // namespace ringside::trace
