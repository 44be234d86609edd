// SPDX-License-Identifier: Apache-2.0
// A SQLite file that claims to be an export of Nsight Systems, opened without trusting it and without
// touching it: read-only and immutable (nothing is written beside it), no code from its schema, and no query
// that costs more than the file's size allows.
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

class ExportFile final {
public:
    /// Throws Error: Io (cannot be opened), Unusable (empty, zeros, damaged, not SQLite).
    explicit ExportFile(const std::filesystem::path& path);
    ~ExportFile();
    ExportFile(const ExportFile&) = delete;
    ExportFile& operator=(const ExportFile&) = delete;

    [[nodiscard]] const std::filesystem::path& path() const { return m_path; }
    [[nodiscard]] std::uintmax_t bytes() const { return m_bytes; }
    /// Only ordinary tables: views, virtual tables and generated columns could run for ever on behalf of
    /// whoever made the file.
    [[nodiscard]] bool hasTable(const std::string& table) const { return m_columns.contains(table); }
    [[nodiscard]] bool hasColumn(const std::string& table, std::string_view column) const;
    [[nodiscard]] const std::map<std::string, std::set<std::string, std::less<>>>& tables() const
    {
        return m_columns;
    }
    /// Whether tables of an export are there.
    [[nodiscard]] bool isExport() const;

    /// What could not be read of it, one sentence each. Grows while it is scanned.
    [[nodiscard]] const std::vector<std::string>& problems() const { return m_problems; }
    [[nodiscard]] sqlite3* handle() const { return m_database; }

private:
    friend class Scan;
    void checkHeader();
    void open();
    void listTables();
    [[nodiscard]] bool takeRow();

    std::filesystem::path m_path;
    std::uintmax_t m_bytes = 0;
    sqlite3* m_database = nullptr;
    std::int64_t m_rowsLeft = 0;
    std::int64_t m_operationsLeft = 0;
    std::map<std::string, std::set<std::string, std::less<>>> m_columns; ///< of each table
    std::vector<std::string> m_problems;
};

/// Whether the file is such an export, or wants to be one; never throws.
[[nodiscard]] bool looksLikeExport(std::string_view head, const std::filesystem::path& path);

} // namespace ringside::importers::nsys
