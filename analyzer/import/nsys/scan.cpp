// SPDX-License-Identifier: Apache-2.0
#include "import/nsys/scan.h"

#include <sqlite3.h>

#include <fmt/format.h>

namespace ringside::importers::nsys {
namespace {

/// Quotes a name as an SQL identifier, because names may come from the file.
std::string identifier(std::string_view name)
{
    std::string text = "\"";
    for (const char c : name) {
        text += c;
        if (c == '"') {
            text += c;
        }
    }
    return text + "\"";
}

} // namespace

Scan::Scan(ExportFile& file, std::string table, const std::vector<std::string_view>& columns)
    : m_file(file), m_table(std::move(table))
{
    if (!file.hasTable(m_table)) {
        return;
    }
    std::string list = columns.empty() ? "NULL" : "";
    for (const std::string_view column : columns) {
        list += list.empty() ? "" : ", ";
        list += file.hasColumn(m_table, column) ? identifier(column) : "NULL";
    }
    // No index is used: in a hostile file it may disagree with its table, or contain expensive expressions.
    const std::string sql = fmt::format("SELECT {} FROM {} NOT INDEXED", list, identifier(m_table));
    if (sqlite3_prepare_v2(file.handle(), sql.c_str(), static_cast<int>(sql.size()), &m_statement, nullptr) !=
        SQLITE_OK) {
        stop(sqlite3_errmsg(file.handle()));
    }
}

Scan::~Scan()
{
    sqlite3_finalize(m_statement);
}

void Scan::stop(const std::string& why)
{
    m_file.m_problems.push_back(
        fmt::format("table {} cannot be read beyond its row {}: {}", m_table, m_rows, why));
    sqlite3_finalize(m_statement);
    m_statement = nullptr;
}

bool Scan::next()
{
    if (m_statement == nullptr) {
        return false;
    }
    const int code = sqlite3_step(m_statement);
    if (code == SQLITE_ROW && m_file.spendRow()) {
        ++m_rows;
        return true;
    }
    if (code == SQLITE_ROW || code == SQLITE_INTERRUPT) {
        stop("it has more rows than a file of this size can hold");
    } else if (code != SQLITE_DONE) {
        stop(sqlite3_errmsg(m_file.handle()));
    }
    return false;
}

std::optional<std::int64_t> Scan::integer(int column) const
{
    return sqlite3_column_type(m_statement, column) == SQLITE_INTEGER
               ? std::optional<std::int64_t>(sqlite3_column_int64(m_statement, column))
               : std::nullopt;
}

std::string_view Scan::text(int column) const
{
    if (sqlite3_column_type(m_statement, column) != SQLITE_TEXT) {
        return {};
    }
    const auto* const data = sqlite3_column_text(m_statement, column);
    const int size = sqlite3_column_bytes(m_statement, column);
    return data == nullptr
               ? std::string_view()
               : std::string_view(reinterpret_cast<const char*>(data), static_cast<std::size_t>(size));
}

std::span<const unsigned char> Scan::bytes(int column) const
{
    const int type = sqlite3_column_type(m_statement, column);
    if (type != SQLITE_TEXT && type != SQLITE_BLOB) {
        return {};
    }
    const auto* const data = static_cast<const unsigned char*>(sqlite3_column_blob(m_statement, column));
    const int size = sqlite3_column_bytes(m_statement, column);
    return data == nullptr ? std::span<const unsigned char>()
                           : std::span(data, static_cast<std::size_t>(size));
}

std::int64_t countRows(ExportFile& file, const std::string& table)
{
    std::int64_t rows = 0;
    for (Scan scan(file, table); scan.next();) {
        ++rows;
    }
    return rows;
}

} // namespace ringside::importers::nsys
