// SPDX-License-Identifier: Apache-2.0
// SQL text of the schema, made from the table descriptions. Process files and merged files have the same
// schema: every table has a process_id, which is kOnlyProcess in a process file.
#pragma once
#include "trace/tables.h"

#include <string>

namespace ringside::trace {

inline constexpr std::int64_t kOnlyProcess = 1;

/// Pragmas and DDL of an empty trace; run outside a transaction on a new file.
std::string schemaSql();

template <class Row>
std::string plainColumnList()
{
    std::string list;
    TableOf<Row>::forEachColumn([&](const char* name, auto) {
        list += list.empty() ? "" : ", ";
        list += name;
    });
    return list;
}

template <class Row>
std::string chunkColumnList()
{
    std::string list;
    TableOf<Row>::forEachColumn([&](const char* name, Encoding, auto, auto) {
        list += list.empty() ? "" : ", ";
        list += name;
    });
    return list;
}

template <class Row>
std::string chunkTableName()
{
    return std::string(TableOf<Row>::kName) + "_chunk";
}

} // namespace ringside::trace
