// SPDX-License-Identifier: Apache-2.0
#include "trace/write/database.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

namespace ringside::trace {
namespace {

/// SQLite reports a write that ends there as a full disk, or as a failure without a reason.
bool reachesFileLimit(const std::filesystem::path& path)
{
    constexpr std::uintmax_t kLargestWrite = 64U << 10U; // a page of SQLite
    rlimit limit{};
    if (getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) {
        return false;
    }
    return std::ranges::any_of(std::array{"", "-wal", "-journal"}, [&](const char* suffix) {
        std::error_code absent;
        const std::uintmax_t bytes = std::filesystem::file_size(path.string() + suffix, absent);
        return !absent && bytes + kLargestWrite > limit.rlim_cur;
    });
}

/// Returns why an open file can no longer be written if its folder is the reason. SQLite opens the log and
/// journal by name and only reports "disk I/O error". Returns an empty text if the folder is writable.
std::string whyOutOfReach(const std::filesystem::path& path)
{
    const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
    if (eaccess(folder.c_str(), W_OK | X_OK) == 0) {
        return {};
    }
    const int error = errno;
    const bool absent = error == ENOENT || error == ENOTDIR;
    return std::string("its folder is out of reach (") + std::strerror(error) + ") since " +
           (absent ? "it was removed, or the process changed its root folder"
                   : "the process changed its user, or the mode of the folder was changed");
}

/// Returns the beginning of a statement, on one line.
std::string excerptOf(std::string_view sql)
{
    constexpr std::size_t kLength = 60;
    return std::string(sql.substr(0, std::min(kLength, sql.find_first_of(";\n"))));
}

} // namespace

// SQLite does not read ":memory:" and "file:..." as file names.
Database::Database(const std::filesystem::path& path, int flags)
    : Database(std::filesystem::absolute(path).string(), path, flags)
{}

Database::Database(const std::string& uri, const std::filesystem::path& path, int flags) : m_path(path)
{
    const int code = sqlite3_open_v2(uri.c_str(), &m_handle, flags | SQLITE_OPEN_NOMUTEX, nullptr);
    if (code != SQLITE_OK) {
        const std::string reason = m_handle != nullptr ? sqlite3_errmsg(m_handle) : sqlite3_errstr(code);
        sqlite3_close(m_handle);
        throw Error(ErrorCode::Io, "cannot open " + path.string() + ": " + reason,
                    "Check that the file exists and that you may read its directory.");
    }
    sqlite3_extended_result_codes(m_handle, 1);
}

Database::~Database()
{
    sqlite3_close_v2(m_handle);
}

void Database::execute(const std::string& sql)
{
    if (sqlite3_exec(m_handle, sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) {
        fail(sql);
    }
}

std::optional<std::int64_t> Database::queryInteger(const std::string& sql)
{
    Statement statement(*this, sql);
    if (!statement.step()) {
        return std::nullopt;
    }
    return statement.column<std::optional<std::int64_t>>(0);
}

void Database::fail(std::string_view what) const
{
    const std::string reason = sqlite3_errmsg(m_handle);
    switch (sqlite3_errcode(m_handle) & 0xFF) {
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
        throw Error(
            ErrorCode::Unusable, m_path.string() + " is damaged: " + reason,
            "Copy it from where it was recorded again. What SQLite can still read of it: sqlite3 FILE "
            ".recover | sqlite3 mended.db");
    case SQLITE_FULL:
    case SQLITE_IOERR:
        if (reachesFileLimit(m_path)) {
            throw Error(ErrorCode::Io,
                        "cannot write " + m_path.string() + ": the file-size limit (ulimit -f) is reached",
                        "Raise the limit.");
        }
        if ((sqlite3_errcode(m_handle) & 0xFF) == SQLITE_FULL) {
            throw Error(ErrorCode::Io, "cannot write " + m_path.string() + ": the disk is full",
                        "Free some disk space.");
        }
        [[fallthrough]];
    case SQLITE_CANTOPEN:
    case SQLITE_READONLY:
        if (const std::string why = whyOutOfReach(m_path); !why.empty()) {
            throw Error(ErrorCode::Io, "cannot write " + m_path.string() + ": " + why,
                        "Choose a run directory in which this user may write.");
        }
        break;
    default:
        break;
    }
    throw Error(ErrorCode::Io, m_path.string() + ": " + reason + " (at " + excerptOf(what) + ")");
}

Statement::Statement(const Database& database, const std::string& sql) : m_database(&database)
{
    const int code = sqlite3_prepare_v3(database.handle(), sql.c_str(), static_cast<int>(sql.size()),
                                        SQLITE_PREPARE_PERSISTENT, &m_statement, nullptr);
    if (code != SQLITE_OK) {
        database.fail(sql);
    }
}

Statement::~Statement()
{
    sqlite3_finalize(m_statement);
}

Statement::Statement(Statement&& other) noexcept
    : m_database(other.m_database), m_statement(std::exchange(other.m_statement, nullptr))
{}

void Statement::check(int code) const
{
    if (code != SQLITE_OK) {
        m_database->fail(sqlite3_sql(m_statement));
    }
}

void Statement::bindInteger(int index, std::int64_t value)
{
    check(sqlite3_bind_int64(m_statement, index, value));
}

void Statement::bindReal(int index, double value)
{
    check(sqlite3_bind_double(m_statement, index, value));
}

void Statement::bindText(int index, std::string_view text)
{
    // a view without storage would bind NULL, but an empty text is not NULL
    const char* const data = text.data() != nullptr ? text.data() : "";
    check(sqlite3_bind_text64(m_statement, index, data, text.size(), SQLITE_STATIC, SQLITE_UTF8));
}

void Statement::bindNull(int index)
{
    check(sqlite3_bind_null(m_statement, index));
}

void Statement::bindBlob(int index, std::span<const std::byte> blob)
{
    check(sqlite3_bind_blob64(m_statement, index, blob.data(), blob.size(), SQLITE_STATIC));
}

bool Statement::step()
{
    const int code = sqlite3_step(m_statement);
    if (code != SQLITE_ROW && code != SQLITE_DONE) {
        m_database->fail(sqlite3_sql(m_statement));
    }
    return code == SQLITE_ROW;
}

void Statement::run()
{
    while (step()) {
    }
    reset();
}

void Statement::reset()
{
    sqlite3_reset(m_statement);
}

bool Statement::isNull(int index) const
{
    return sqlite3_column_type(m_statement, index) == SQLITE_NULL;
}

std::int64_t Statement::integer(int index) const
{
    return sqlite3_column_int64(m_statement, index);
}

double Statement::real(int index) const
{
    return sqlite3_column_double(m_statement, index);
}

std::string Statement::text(int index) const
{
    const auto* const data = sqlite3_column_text(m_statement, index);
    const int size = sqlite3_column_bytes(m_statement, index);
    return data == nullptr ? std::string()
                           : std::string(reinterpret_cast<const char*>(data), static_cast<std::size_t>(size));
}

std::span<const std::byte> Statement::blob(int index) const
{
    const void* const data = sqlite3_column_blob(m_statement, index);
    const int size = sqlite3_column_bytes(m_statement, index);
    if (data == nullptr || size <= 0) {
        return {};
    }
    return {static_cast<const std::byte*>(data), static_cast<std::size_t>(size)};
}

} // namespace ringside::trace
