// SPDX-License-Identifier: Apache-2.0
// Opens a file that may be a trace without trusting it: read-only, with limits on sizes, and without
// executing code from its schema.
#pragma once
#include "trace/write/database.h"

#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace ringside::trace {

class TraceFile final {
public:
    /// Throws Error: Io (cannot be opened), Unusable (empty, zeros, not SQLite, not a trace) or Newer
    /// (unknown schema version). A trace that is being recorded can be opened. One on a read-only file system
    /// is opened as immutable.
    explicit TraceFile(const std::filesystem::path& path);

    [[nodiscard]] Database& database() const { return *m_database; }
    /// Returns whether `table` is an ordinary table with stored columns only. Views, virtual tables and
    /// generated columns of a hostile file could run without end.
    [[nodiscard]] bool hasTable(const std::string& table) const { return m_tables.contains(table); }
    /// Returns whether the file has an older schema, so that tables and columns may be missing.
    [[nodiscard]] bool isOlder() const { return m_older; }
    /// Returns `columns` of `table` for a SELECT. NULL replaces those that an older file lacks, and those of
    /// `optional` that a file of the current version lacks.
    [[nodiscard]] std::string columnsOf(const std::string& table, const std::vector<std::string>& columns,
                                        const std::vector<std::string>& optional = {}) const;
    [[nodiscard]] std::uintmax_t bytes() const { return m_bytes; }
    /// Returns whether the file is shorter than its header states.
    [[nodiscard]] bool isTruncated() const { return m_truncated; }

private:
    void checkHeader();
    void open();
    void checkVersion();
    void listTables();

    std::filesystem::path m_path;
    std::unique_ptr<Database> m_database;
    std::set<std::string> m_tables;
    std::uintmax_t m_bytes = 0;
    bool m_truncated = false;
    bool m_older = false;
};

} // namespace ringside::trace
