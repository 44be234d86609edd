// SPDX-License-Identifier: Apache-2.0
// One pass over a table of an export. Columns that a version does not have, and values of another type than
// asked for, read as nothing.
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

class Scan final {
public:
    /// A table that is not there has no rows. `file` outlives the scan.
    Scan(ExportFile& file, std::string table, const std::vector<std::string_view>& columns = {});
    ~Scan();
    Scan(const Scan&) = delete;
    Scan& operator=(const Scan&) = delete;

    /// False behind the last row, and where the table cannot be read any further, which the file then knows
    /// as a problem.
    [[nodiscard]] bool next();

    [[nodiscard]] std::optional<std::int64_t> integer(int column) const;
    /// Whether it is an integer that fits; then `to` is it.
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
    [[nodiscard]] std::string_view text(int column) const;                ///< valid until next()
    [[nodiscard]] std::span<const unsigned char> bytes(int column) const; ///< of a text or a blob; as text()

private:
    void stop(const std::string& why);

    ExportFile& m_file;
    std::string m_table;
    sqlite3_stmt* m_statement = nullptr;
    std::int64_t m_rows = 0;
};

/// Number of rows that can be read.
[[nodiscard]] std::int64_t countRows(ExportFile& file, const std::string& table);

} // namespace ringside::importers::nsys
