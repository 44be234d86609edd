// SPDX-License-Identifier: Apache-2.0
#include "trace/read/sqlite_head.h"

#include <ringside/error.h>

#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <fstream>

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

SqliteHead readSqliteHead(const std::filesystem::path& path)
{
    std::error_code error;
    const std::uintmax_t bytes = std::filesystem::file_size(path, error);
    std::ifstream file(path, std::ios::binary);
    if (error || !file) {
        throw Error(ErrorCode::Io,
                    "cannot read " + path.string() + ": " + (error ? error.message() : "no permission"));
    }
    std::array<char, kSqliteHeadBytes> head{};
    file.read(head.data(), head.size());
    SqliteHead result = parseSqliteHead({head.data(), static_cast<std::size_t>(file.gcount())});
    result.fileBytes = bytes;
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
