// SPDX-License-Identifier: Apache-2.0
// Opens a file that claims to be a trace, without trusting it: read-only, limits on sizes, no code from its
// schema.
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
    /// Throws Error: Io (cannot be opened), Unusable (empty, zeros, not SQLite, not a trace), Newer (unknown
    /// schema version). A trace that is still being recorded can be opened; one on a read-only file system is
    /// opened as immutable.
    explicit TraceFile(const std::filesystem::path& path);

    [[nodiscard]] Database& database() const { return *m_database; }
    /// Whether `table` is an ordinary table with stored columns only: views, virtual tables and generated
    /// columns could run for ever on behalf of whoever made the file.
    [[nodiscard]] bool hasTable(const std::string& table) const { return m_tables.contains(table); }
    /// Whether the file was made before today's schema: then tables and columns may be missing rightly.
    [[nodiscard]] bool isOlder() const { return m_older; }
    /// `columns` of `table` for a SELECT: NULL stands for those that an older file does not know yet, and for
    /// those of `optional` that one of today's version does not.
    [[nodiscard]] std::string columnsOf(const std::string& table, const std::vector<std::string>& columns,
                                        const std::vector<std::string>& optional = {}) const;
    [[nodiscard]] std::uintmax_t bytes() const { return m_bytes; }
    /// Whether the file is shorter than its header says.
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
