// SPDX-License-Identifier: Apache-2.0
// The tables as types: TableOf<Row> names a table and visits its columns. It is generated from the two .def
// files, so that schema, writer, reader and virtual tables cannot disagree. This header only describes tables
// and does not use SQLite.
#pragma once
#include "trace/write/column_codec.h"

#include <ringside/trace/reader.h>
#include <ringside/trace/rows.h>

#include <optional>
#include <string>
#include <type_traits>

namespace ringside::trace {

inline constexpr int kApplicationId = 0x52534944; ///< "RSID", SQLite's application_id of every trace

/// Key of table meta that a summary has of each process: where its whole trace is.
inline constexpr const char* kSummaryOfKey = "summary_of";

template <class Row>
struct TableOf;

#define RINGSIDE_PLAIN_TABLE(RowType, processMember, sqlName, keyColumns, orderColumns)                      \
    template <>                                                                                              \
    struct TableOf<RowType> {                                                                                \
        using Row = RowType;                                                                                 \
        static constexpr const char* kName = sqlName;                                                        \
        static constexpr const char* kKey = keyColumns;                                                      \
        static constexpr const char* kOrder = orderColumns;                                                  \
        template <class Visit>                                                                               \
        static void forEachColumn(Visit&& visit)                                                             \
        {
#define RINGSIDE_COLUMN(member, sqlName) visit(sqlName, &Row::member);
#define RINGSIDE_END_TABLE                                                                                   \
    }                                                                                                        \
    }                                                                                                        \
    ;
#include "trace/plain_tables.def"

#define RINGSIDE_CHUNK_TABLE(RowType, ColumnsType, processMember, sqlName)                                   \
    template <>                                                                                              \
    struct TableOf<RowType> {                                                                                \
        using Row = RowType;                                                                                 \
        using Columns = ColumnsType;                                                                         \
        static constexpr const char* kName = sqlName;                                                        \
        template <class Visit>                                                                               \
        static void forEachColumn(Visit&& visit)                                                             \
        {
#define RINGSIDE_COLUMN(member, sqlName, encoding)                                                           \
    visit(sqlName, Encoding::encoding, &Row::member, &Columns::member);
#define RINGSIDE_END_TABLE                                                                                   \
    }                                                                                                        \
    }                                                                                                        \
    ;
#include "trace/chunk_tables.def"

/// Calls `visit(TableOf<Row>{})` for every plain table.
template <class Visit>
void forEachPlainTable(Visit&& visit)
{
#define RINGSIDE_PLAIN_TABLE(RowType, processMember, sqlName, keyColumns, orderColumns)                      \
    visit(TableOf<RowType>{});
#define RINGSIDE_COLUMN(member, sqlName)
#define RINGSIDE_END_TABLE
#include "trace/plain_tables.def"
}

/// Calls `visit(TableOf<Row>{})` for every chunked table.
template <class Visit>
void forEachChunkTable(Visit&& visit)
{
#define RINGSIDE_CHUNK_TABLE(RowType, ColumnsType, processMember, sqlName) visit(TableOf<RowType>{});
#define RINGSIDE_COLUMN(member, sqlName, encoding)
#define RINGSIDE_END_TABLE
#include "trace/chunk_tables.def"
}

/// Number of columns of a chunked table that are times: none, one moment, or a start and an end. If there are
/// any, they are its first columns, and its chunks have first_ns and last_ns.
template <class Row>
inline constexpr int kTimeColumns = requires(Row row)
{
    row.startNs;
}
? 2 : requires(Row row)
{
    row.timeNs;
}
? 1 : 0;
template <class Row>
inline constexpr bool kHasTimes = kTimeColumns<Row> != 0;

/// Start and end of a row, or their columns. A moment is both.
template <class RowOrColumns>
auto& startOf(RowOrColumns& rows)
{
    if constexpr (kTimeColumns<RowOrColumns> == 1) {
        return rows.timeNs;
    } else {
        return rows.startNs;
    }
}
template <class RowOrColumns>
auto& endOf(RowOrColumns& rows)
{
    if constexpr (kTimeColumns<RowOrColumns> == 1) {
        return rows.timeNs;
    } else {
        return rows.endNs;
    }
}

/// Appends the rows of a chunked table to those of another.
template <class Row>
void appendColumns(typename TableOf<Row>::Columns& to, typename TableOf<Row>::Columns&& from)
{
    TableOf<Row>::forEachColumn(
        [&](const char*, Encoding, auto, auto column) { (to.*column).append(std::move(from.*column)); });
}

template <class T>
struct IsOptional : std::false_type {};
template <class T>
struct IsOptional<std::optional<T>> : std::true_type {
    using Value = T;
};

/// Returns SQLite's type of a C++ member, including "NOT NULL".
template <class T>
constexpr const char* sqlType()
{
    if constexpr (std::is_same_v<T, std::optional<double>>) {
        return "REAL";
    } else if constexpr (IsOptional<T>::value) {
        return "INTEGER";
    } else if constexpr (std::is_same_v<T, std::string> || std::is_same_v<T, Severity> || kIsWord<T>) {
        return "TEXT NOT NULL";
    } else {
        static_assert(std::is_integral_v<T>);
        return "INTEGER NOT NULL";
    }
}

} // namespace ringside::trace
