// SPDX-License-Identifier: Apache-2.0
#include "trace/write/schema.h"

namespace ringside::trace {
namespace {

template <class Row, class T>
T memberType(T Row::*);

template <class Row>
std::string plainTableSql()
{
    std::string sql = std::string("CREATE TABLE ") + TableOf<Row>::kName + " (process_id INTEGER NOT NULL";
    TableOf<Row>::forEachColumn([&](const char* name, auto member) {
        sql += std::string(", ") + name + " " + sqlType<decltype(memberType(member))>();
    });
    if (*TableOf<Row>::kKey != '\0') {
        sql += std::string(", PRIMARY KEY (") + TableOf<Row>::kKey + ")";
    }
    return sql + ") STRICT;\n";
}

template <class Row>
std::string chunkTableSql()
{
    // Counts and times stand before the blobs: a scan that skips a chunk never touches the blobs' pages.
    std::string sql = "CREATE TABLE " + chunkTableName<Row>() +
                      " (id INTEGER PRIMARY KEY, process_id INTEGER NOT NULL, count INTEGER NOT NULL,"
                      " first_ns INTEGER, last_ns INTEGER";
    TableOf<Row>::forEachColumn(
        [&](const char* name, Encoding, auto, auto) { sql += std::string(", ") + name + " BLOB NOT NULL"; });
    return sql + ") STRICT;\n";
}

} // namespace

std::string schemaSql()
{
    std::string sql =
        "PRAGMA page_size = 16384;\n"
        "PRAGMA application_id = " +
        std::to_string(kApplicationId) + ";\nPRAGMA user_version = " + std::to_string(kSchemaVersion) +
        ";\n"
        "BEGIN;\n"
        "CREATE TABLE meta (process_id INTEGER NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL,"
        " PRIMARY KEY (process_id, key)) STRICT;\n"
        "CREATE TABLE string (process_id INTEGER NOT NULL, id INTEGER NOT NULL, text TEXT NOT NULL,"
        " PRIMARY KEY (process_id, id)) STRICT, WITHOUT ROWID;\n"
        "CREATE TABLE ring_progress (process_id INTEGER NOT NULL, ring_id INTEGER NOT NULL,"
        " committed_slots INTEGER NOT NULL, PRIMARY KEY (process_id, ring_id)) STRICT;\n";
    forEachPlainTable([&]<class Row>(TableOf<Row>) { sql += plainTableSql<Row>(); });
    forEachChunkTable([&]<class Row>(TableOf<Row>) { sql += chunkTableSql<Row>(); });
    sql += "INSERT INTO meta VALUES (" + std::to_string(kOnlyProcess) + ", 'schema_version', '" +
           std::to_string(kSchemaVersion) + "');\nCOMMIT;\n";
    return sql;
}

} // namespace ringside::trace
