// SPDX-License-Identifier: Apache-2.0
// Scans a table of an export. A column that does not exist in this version, and a value of another type than
// requested, read as null or empty.
#pragma once
#include "import/nsys/export_file.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

struct sqlite3_stmt;

namespace ringside::importers::nsys {

/// One pass over the rows of a table.
class Scan final {
public:
    /// A table that does not exist has no rows. `file` must outlive the scan.
    Scan(ExportFile& file, std::string table, const std::vector<std::string_view>& columns = {});
    ~Scan();
    Scan(const Scan&) = delete;
    Scan& operator=(const Scan&) = delete;

    /// Moves to the next row. Returns false after the last row, or if the table cannot be read any further,
    /// which is added to the file's problems.
    [[nodiscard]] bool next();

    /// Returns the integer in a column, or null.
    [[nodiscard]] std::optional<std::int64_t> integer(int column) const;
    /// Reads an integer into `to`. Returns false if the value is not an integer or does not fit.
    template <class T>
    [[nodiscard]] bool read(int column, T& to) const
    {
        const auto value = integer(column);
        if (!value || !std::in_range<T>(*value)) {
            return false;
        }
        to = static_cast<T>(*value);
        return true;
    }
    /// Returns the text in a column, or an empty one. Valid until next().
    [[nodiscard]] std::string_view text(int column) const;
    /// Returns the bytes of a text or blob, or none. Valid until next().
    [[nodiscard]] std::span<const unsigned char> bytes(int column) const;

private:
    void stop(const std::string& why);

    ExportFile& m_file;
    std::string m_table;
    sqlite3_stmt* m_statement = nullptr;
    std::int64_t m_rows = 0;
};

/// Returns the number of rows that can be read.
[[nodiscard]] std::int64_t countRows(ExportFile& file, const std::string& table);

} // namespace ringside::importers::nsys
