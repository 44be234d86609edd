// SPDX-License-Identifier: Apache-2.0
// Opens a SQLite file that claims to be an export of Nsight Systems, without trusting or changing it. It is
// opened read-only and immutable, so that nothing is written beside it. No code from its schema runs, and the
// cost of queries is limited by the size of the file.
#pragma once
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

struct sqlite3;

namespace ringside::importers::nsys {

/// An open export.
class ExportFile final {
public:
    /// Throws Error: Io if it cannot be opened, Unusable if it is empty, damaged or not SQLite.
    explicit ExportFile(const std::filesystem::path& path);
    ~ExportFile();
    ExportFile(const ExportFile&) = delete;
    ExportFile& operator=(const ExportFile&) = delete;

    [[nodiscard]] const std::filesystem::path& path() const { return m_path; }
    [[nodiscard]] std::uintmax_t bytes() const { return m_bytes; }
    /// Whether an ordinary table exists. Views, virtual tables and generated columns do not count, because in
    /// a hostile file they could run forever.
    [[nodiscard]] bool hasTable(const std::string& table) const { return m_columns.contains(table); }
    [[nodiscard]] bool hasColumn(const std::string& table, std::string_view column) const;
    /// Returns the columns of each table.
    [[nodiscard]] const std::map<std::string, std::set<std::string, std::less<>>>& tables() const
    {
        return m_columns;
    }
    /// Whether the file has any table of an export.
    [[nodiscard]] bool isExport() const;

    /// Returns what could not be read, one sentence each. The list grows during scans.
    [[nodiscard]] const std::vector<std::string>& problems() const { return m_problems; }
    [[nodiscard]] sqlite3* handle() const { return m_database; }

private:
    friend class Scan;
    void checkHeader();
    void open();
    void listTables();
    [[nodiscard]] bool spendRow();

    std::filesystem::path m_path;
    std::uintmax_t m_bytes = 0;
    sqlite3* m_database = nullptr;
    std::int64_t m_rowsLeft = 0;
    std::int64_t m_operationsLeft = 0;
    std::map<std::string, std::set<std::string, std::less<>>> m_columns; ///< of each table
    std::vector<std::string> m_problems;
};

/// Whether the file is an export, a report that must be exported first, or a damaged export. Never throws.
[[nodiscard]] bool isLikelyExport(std::string_view head, const std::filesystem::path& path);

} // namespace ringside::importers::nsys
