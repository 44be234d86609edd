// SPDX-License-Identifier: Apache-2.0
// What stands in front of a SQLite file, read before SQLite is asked to open it: a file that was cut off or
// never written is told better so. And what is set for every file that a stranger may have made.
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
    std::uint64_t wantedBytes = 0; ///< as its header says
    std::uint32_t applicationId = 0;
    bool empty = false;
    bool zeros = false;  ///< SQLite writes page 1 last
    bool sqlite = false; ///< else the numbers of the header are 0
};

/// Of the first bytes of a file.
[[nodiscard]] SqliteHead parseSqliteHead(std::string_view head);
/// Throws Error (Io) where it cannot be read.
[[nodiscard]] SqliteHead readSqliteHead(const std::filesystem::path& path);

/// No row larger than that, no code from the schema, damaged pages are noticed.
void distrust(sqlite3* database, int mostRowBytes);

/// Of sqlite_schema AS s: ordinary tables. Views, virtual tables and generated columns could run for ever on
/// behalf of whoever made the file.
inline constexpr const char* kIsOrdinaryTable =
    "s.type = 'table' AND s.sql NOT LIKE 'CREATE VIRTUAL%'"
    " AND NOT EXISTS (SELECT 1 FROM pragma_table_xinfo(s.name) WHERE hidden <> 0)";

} // namespace ringside::trace
