// SPDX-License-Identifier: Apache-2.0
// For test programs that wait until the collector's trace contains that a tier is on, or why it is not.
#pragma once
#include <sqlite3.h>

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>

namespace ringside::test {

inline bool hasRow(const std::string& sql, const std::string& database)
{
    sqlite3* connection = nullptr;
    sqlite3_stmt* query = nullptr;
    sqlite3_open_v2(database.c_str(), &connection, SQLITE_OPEN_READONLY, nullptr);
    sqlite3_prepare_v2(connection, sql.c_str(), -1, &query, nullptr);
    const bool is = query != nullptr && sqlite3_step(query) == SQLITE_ROW;
    sqlite3_finalize(query);
    sqlite3_close(connection);
    return is;
}

/// Starts a child that ends with 0 once the query has a row in the trace in RINGSIDE_DIR (whose name ends
/// so), with 1 after 20 s. In a process of its own: SQLite's file locks are one process's, and closing a file
/// would drop the collector's.
inline pid_t watchFor(const std::string& sql, const std::string& ending = ".db")
{
    const pid_t child = fork();
    if (child != 0)
        return child;
    const char* directory = std::getenv("RINGSIDE_DIR");
    constexpr int kTries = 1000;
    for (int i = 0; directory != nullptr && i < kTries; ++i) {
        usleep(20'000);
        for (const auto& entry : std::filesystem::directory_iterator(directory))
            if (entry.path().string().ends_with(ending) && hasRow(sql, entry.path().string()))
                _exit(0);
    }
    _exit(1);
}

/// Until the tier is on, or the trace says why not.
inline pid_t watchTheTrace(const std::string& ending = ".db", const std::string& tier = "device")
{
    return watchFor("SELECT 1 FROM tier WHERE tier = '" + tier +
                        "' AND (active OR reason NOT LIKE '%not reached%')",
                    ending);
}

} // namespace ringside::test
