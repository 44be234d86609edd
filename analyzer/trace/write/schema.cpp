// SPDX-License-Identifier: Apache-2.0
#include "trace/write/schema.h"

#include <set>

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
    // counts and times precede the blobs, so that a scan that skips a chunk never reads the pages of the
    // blobs
    std::string sql = "CREATE TABLE " + chunkTableName<Row>() +
                      " (id INTEGER PRIMARY KEY, process_id INTEGER NOT NULL, count INTEGER NOT NULL,"
                      " first_ns INTEGER, last_ns INTEGER";
    TableOf<Row>::forEachColumn(
        [&](const char* name, Encoding, auto, auto) { sql += std::string(", ") + name + " BLOB"; });
    return sql + ") STRICT;\n";
}

std::set<std::string> columnsOf(const Database& database, const std::string& table)
{
    std::set<std::string> columns;
    Statement info(database, "SELECT name FROM pragma_table_info('" + table + "')");
    while (info.step()) {
        columns.insert(info.column<std::string>(0));
    }
    return columns;
}

/// Creates the table, or adds the columns that it lacks. Existing rows have no values in these columns.
template <class Row>
void upgradeTable(Database& database, const std::string& table, const std::string& wholeSql, const char* type)
{
    const std::set<std::string> present = columnsOf(database, table);
    if (present.empty()) {
        database.execute(wholeSql);
        return;
    }
    for (const std::string& column : columnNames<Row>()) {
        if (!present.contains(column)) {
            database.execute("ALTER TABLE " + table + " ADD COLUMN " + column + " " + type);
        }
    }
}

bool isNullable(Database& database, const std::string& table, const std::string& column)
{
    return database
               .queryInteger("SELECT 1 - \"notnull\" FROM pragma_table_info('" + table + "') WHERE name = '" +
                             column + "'")
               .value_or(1) != 0;
}

/// A column may have become nullable. SQLite cannot change this in an existing table, so its rows are moved
/// into a new one.
template <class Row>
void allowNulls(Database& database)
{
    const std::string table = TableOf<Row>::kName;
    bool older = false;
    TableOf<Row>::forEachColumn([&](const char* column, auto member) {
        older = older ||
                (IsOptional<decltype(memberType(member))>::value && !isNullable(database, table, column));
    });
    if (older) {
        const std::string columns = "process_id, " + columnList<Row>();
        database.execute("ALTER TABLE " + table + " RENAME TO " + table + "_before;\n" +
                         plainTableSql<Row>() + "INSERT INTO " + table + " (" + columns + ") SELECT " +
                         columns + " FROM " + table + "_before;\nDROP TABLE " + table + "_before");
    }
}

} // namespace

void upgradeSchema(Database& database)
{
    database.execute("BEGIN");
    forEachPlainTable([&]<class Row>(TableOf<Row>) {
        upgradeTable<Row>(database, TableOf<Row>::kName, plainTableSql<Row>(), "ANY");
        allowNulls<Row>(database);
    });
    forEachChunkTable([&]<class Row>(TableOf<Row>) {
        upgradeTable<Row>(database, chunkTableName<Row>(), chunkTableSql<Row>(), "BLOB");
    });
    if (database.queryInteger("PRAGMA user_version").value_or(0) != kSchemaVersion) {
        // a table of version 1 that was never filled; it would hide the table as which the chunks are shown
        database.execute("DROP TABLE IF EXISTS sample");
        const std::string version = std::to_string(kSchemaVersion);
        database.execute("UPDATE meta SET value = '" + version +
                         "' WHERE key = 'schema_version';\nPRAGMA user_version = " + version);
    }
    database.execute("COMMIT");
}

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
