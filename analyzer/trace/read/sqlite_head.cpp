// SPDX-License-Identifier: Apache-2.0
#include "trace/read/sqlite_head.h"

#include "trace/read/system_error.h"

#include <ringside/error.h>

#include <sqlite3.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string>

namespace ringside::trace {
namespace {

constexpr std::string_view kMagic{"SQLite format 3\0", 16};

std::uint32_t bigEndian(std::string_view bytes)
{
    std::uint32_t value = 0;
    for (const char c : bytes) {
        value = value << 8U | static_cast<unsigned char>(c);
    }
    return value;
}

} // namespace

SqliteHead parseSqliteHead(std::string_view head)
{
    SqliteHead result;
    result.empty = head.empty();
    result.zeros = !head.empty() && std::ranges::all_of(head, [](char c) { return c == '\0'; });
    result.sqlite = head.size() >= kSqliteHeadBytes && head.starts_with(kMagic);
    if (result.sqlite) {
        const std::uint32_t size = bigEndian(head.substr(16, 2));
        result.wantedBytes = std::uint64_t{size == 1 ? 65536 : size} * bigEndian(head.substr(28, 4));
        result.applicationId = bigEndian(head.substr(68, 4));
    }
    return result;
}

// A FIFO would block its reader, and a device would never end.
SqliteHead readSqliteHead(const std::filesystem::path& path)
{
    const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0) {
        throw systemError("cannot read " + path.string(), errno);
    }
    struct stat status {};
    std::array<char, kSqliteHeadBytes> head{};
    const bool isRegular = fstat(file, &status) == 0 && S_ISREG(status.st_mode);
    const ssize_t got = isRegular ? pread(file, head.data(), head.size(), 0) : 0;
    const int why = errno;
    close(file);
    if (!isRegular) {
        throw Error(ErrorCode::Unusable, path.string() + " is no regular file",
                    "Give the file itself, not a pipe or a device.");
    }
    if (got < 0) {
        throw systemError("cannot read " + path.string(), why);
    }
    SqliteHead result = parseSqliteHead({head.data(), static_cast<std::size_t>(got)});
    result.fileBytes = static_cast<std::uintmax_t>(status.st_size);
    return result;
}

void distrust(sqlite3* database, int mostRowBytes)
{
    sqlite3_limit(database, SQLITE_LIMIT_LENGTH, mostRowBytes);
    sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
    sqlite3_db_config(database, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
    sqlite3_exec(database, "PRAGMA cell_size_check = ON", nullptr, nullptr, nullptr);
}

} // namespace ringside::trace
