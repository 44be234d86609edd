// SPDX-License-Identifier: Apache-2.0
#include "trace/read/trace_file.h"

#include "trace/read/run_files.h"
#include "trace/read/sqlite_head.h"
#include "trace/tables.h"

#include <sqlite3.h>

#include <algorithm>

namespace ringside::trace {
namespace {

constexpr int kMaxRowBytes = 8 << 20; ///< eight full columns of eight bytes with their headers fit twice
constexpr int kBusyTimeoutMs = 2000;
constexpr int kOpenFlags = SQLITE_OPEN_READONLY | SQLITE_OPEN_URI;

[[noreturn]] void failUnusable(const std::filesystem::path& path, const std::string& why)
{
    throw Error(ErrorCode::Unusable, path.string() + " " + why,
                "Give a .ringside directory, a process file of one, or a file made by ringside merge.");
}

} // namespace

TraceFile::TraceFile(const std::filesystem::path& path) : m_path(path)
{
    checkHeader();
    open();
    checkVersion();
    listTables();
}

void TraceFile::checkHeader()
{
    const SqliteHead head = readSqliteHead(m_path);
    if (head.empty) {
        failUnusable(m_path, "is empty");
    }
    if (head.zeros) {
        failUnusable(m_path, "is filled with zeros: its disk was full, or it was never written");
    }
    if (!head.sqlite) {
        failUnusable(m_path, "is not a Ringside trace (not a SQLite file)");
    }
    m_bytes = head.fileBytes;
    m_truncated = head.fileBytes < head.wantedBytes;
}

void TraceFile::open()
{
    const auto tryOpen = [this](const std::string& query) {
        auto database = std::make_unique<Database>(sqliteUri(m_path, query), m_path, kOpenFlags);
        sqlite3* const handle = database->handle();
        sqlite3_busy_timeout(handle, kBusyTimeoutMs);
        distrust(handle, kMaxRowBytes);
        static_cast<void>(database->queryInteger("SELECT count(*) FROM sqlite_schema"));
        return database;
    };
    try {
        m_database = tryOpen("mode=ro");
    } catch (const Error& error) {
        if (error.code == ErrorCode::Unusable) {
            failUnusable(m_path, "is damaged and cannot be read");
        }
        // WAL needs a writable directory. A trace that is no longer being recorded can be read without WAL.
        m_database = tryOpen("mode=ro&immutable=1");
    }
}

void TraceFile::checkVersion()
{
    if (m_database->queryInteger("PRAGMA application_id").value_or(0) != kApplicationId) {
        failUnusable(m_path, "is a SQLite file, but not a Ringside trace");
    }
    const std::int64_t version = m_database->queryInteger("PRAGMA user_version").value_or(0);
    if (version > kSchemaVersion) {
        throw Error(ErrorCode::Newer,
                    m_path.string() + " has trace schema version " + std::to_string(version) +
                        ", and this program knows versions up to " + std::to_string(kSchemaVersion),
                    "Use a newer version of Ringside to read it.");
    }
    if (version < 1) {
        failUnusable(m_path, "has no valid trace schema version");
    }
    m_older = version < kSchemaVersion;
}

std::string TraceFile::columnsOf(const std::string& table, const std::vector<std::string>& columns,
                                 const std::vector<std::string>& optional) const
{
    std::set<std::string> present;
    Statement info(*m_database, "SELECT name FROM pragma_table_info(?1)");
    info.bind(1, table);
    while (info.step()) {
        present.insert(info.column<std::string>(0));
    }
    std::string list;
    for (const std::string& column : columns) {
        list += list.empty() ? "" : ", ";
        const bool mayBeMissing = m_older || std::ranges::find(optional, column) != optional.end();
        list += mayBeMissing && !present.contains(column) ? "NULL" : column;
    }
    return list;
}

void TraceFile::listTables()
{
    Statement tables(*m_database,
                     std::string("SELECT name FROM sqlite_schema AS s WHERE ") + kIsOrdinaryTable);
    while (tables.step()) {
        m_tables.insert(tables.column<std::string>(0));
    }
}

} // namespace ringside::trace
