// SPDX-License-Identifier: Apache-2.0
#include "trace/write/connection.h"

#include "trace/write/schema.h"

#include <ringside/trace/private_file.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <system_error>

namespace ringside::trace {
namespace {

constexpr int kBusyTimeoutMs = 2000; ///< readers of a trace in use hold locks only briefly

void refuseExisting(const std::filesystem::path& path)
{
    std::error_code error;
    if (std::filesystem::exists(path, error)) {
        throw Error(ErrorCode::Io, path.string() + " exists already",
                    "Choose another run directory: a trace is never overwritten.");
    }
}

void refuseForeign(Database& database)
{
    const std::int64_t version = database.queryInteger("PRAGMA user_version").value_or(0);
    if (database.queryInteger("PRAGMA application_id").value_or(0) != kApplicationId || version < 1 ||
        version > kSchemaVersion) {
        throw Error(ErrorCode::Unusable,
                    database.path().string() + " is not a Ringside trace of a schema version up to " +
                        std::to_string(kSchemaVersion) + " and cannot be continued",
                    "Choose another run directory.");
    }
}

int openFlags(const std::filesystem::path& path, Writer::Mode mode)
{
    if (mode == Writer::Mode::Append) {
        return SQLITE_OPEN_READWRITE;
    }
    if (path == ":memory:") { // no file
        return SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_MEMORY;
    }
    refuseExisting(path);
    makePrivateDatabase(path);
    return SQLITE_OPEN_READWRITE;
}

} // namespace

void configurePrivateSqlite()
{
    sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}

void makePrivateDatabase(const std::filesystem::path& path)
{
    if (!makePrivateFile(path)) {
        throw Error(ErrorCode::Io, "cannot make " + path.string() + ": " + std::strerror(errno),
                    "Check that its directory exists, that you may write there, and that there is room.");
    }
}

Connection::Connection(const std::filesystem::path& path, Writer::Mode mode)
    : database(path, openFlags(path, mode))
{
    sqlite3_busy_timeout(database.handle(), kBusyTimeoutMs);
    database.execute("PRAGMA synchronous = OFF; PRAGMA temp_store = MEMORY; PRAGMA cache_size = -4096");
    if (mode == Writer::Mode::Create) {
        // created in rollback mode and then switched, so that the main file contains the whole schema from
        // the start
        database.execute(schemaSql());
    } else {
        refuseForeign(database);
        upgradeSchema(database);
    }
    database.execute("PRAGMA journal_mode = WAL");
}

} // namespace ringside::trace
