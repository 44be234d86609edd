// SPDX-License-Identifier: Apache-2.0
// The header of a SQLite file, read before SQLite opens the file, so that messages about truncated or
// unwritten files are better. Also the settings for files that strangers may have made.
#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string_view>

struct sqlite3;

namespace ringside::trace {

inline constexpr std::size_t kSqliteHeadBytes = 100; ///< https://sqlite.org/fileformat2.html

struct SqliteHead {
    std::uintmax_t fileBytes = 0;
    std::uint64_t wantedBytes = 0; ///< size according to the header
    std::uint32_t applicationId = 0;
    bool empty = false;
    bool zeros = false;  ///< SQLite writes page 1 last
    bool sqlite = false; ///< otherwise, the numbers of the header are 0
};

/// Parses the first bytes of a file.
[[nodiscard]] SqliteHead parseSqliteHead(std::string_view head);
/// Throws Error (Io) if the file cannot be read.
[[nodiscard]] SqliteHead readSqliteHead(const std::filesystem::path& path);

/// Limits the size of rows, disables code from the schema, and enables checks for damaged pages.
void distrust(sqlite3* database, int mostRowBytes);

/// Condition on sqlite_schema AS s for ordinary tables. Views, virtual tables and generated columns of a
/// hostile file could run without end.
inline constexpr const char* kIsOrdinaryTable =
    "s.type = 'table' AND s.sql NOT LIKE 'CREATE VIRTUAL%'"
    " AND NOT EXISTS (SELECT 1 FROM pragma_table_xinfo(s.name) WHERE hidden <> 0)";

} // namespace ringside::trace
