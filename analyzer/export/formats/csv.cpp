// SPDX-License-Identifier: Apache-2.0
// A folder with one CSV file for each table (RFC 4180). The first line names the columns. Null is an empty
// field, an empty text is a quoted one. A text that is like a formula gets an apostrophe before it.
#include "export/exporter.h"
#include "export/new_folder.h"
#include "export/table_rows.h"
#include "output/output_file.h"
#include "trace/utf8.h"

#include <fmt/format.h>

#include <iterator>
#include <optional>

namespace ringside::exporting::exporter_csv {
namespace {

void appendText(std::string& line, std::string_view text)
{
    line += '"';
    line += trace::isLikeFormula(text) ? "'" : "";
    for (const char c : text) {
        line.append(c == '"' ? 2 : 1, c);
    }
    line += '"';
}

void append(std::string& line, const Cell& cell)
{
    if (const auto* const integer = std::get_if<std::int64_t>(&cell)) {
        fmt::format_to(std::back_inserter(line), "{}", *integer);
    } else if (const auto* const real = std::get_if<double>(&cell)) {
        fmt::format_to(std::back_inserter(line), "{}", *real);
    } else if (const auto* const text = std::get_if<std::string_view>(&cell)) {
        appendText(line, *text);
    }
}

class Folder final : public TableSink {
public:
    explicit Folder(const std::filesystem::path& path) : m_folder(path) {}

    void table(const char* name, std::span<const ColumnType> columns) override
    {
        close();
        m_file.emplace(m_folder.path() / (std::string(name) + ".csv"));
        m_line.clear();
        for (const ColumnType& column : columns) {
            m_line += m_line.empty() ? "" : ",";
            m_line += column.name;
        }
        endLine();
    }

    void row(std::span<const Cell> cells) override
    {
        for (std::size_t i = 0; i < cells.size(); ++i) {
            if (i > 0) {
                m_line += ',';
            }
            append(m_line, cells[i]);
        }
        endLine();
    }

    void close()
    {
        if (m_file) {
            m_file->close();
        }
    }
    void keep() { m_folder.keep(); }

private:
    void endLine()
    {
        m_line += "\r\n";
        m_file->write(m_line);
        m_line.clear();
    }

    NewFolder m_folder;
    std::optional<output::OutputFile> m_file;
    std::string m_line;
};

void writeTables(const trace::RunTrace& run, const std::filesystem::path& output)
{
    Folder folder(output);
    visitTables(run, folder);
    folder.close();
    folder.keep();
}

} // namespace

RINGSIDE_EXPORTER(csv, .title = "a folder with one CSV file for each table", .writeTables = writeTables);

} // namespace ringside::exporting::exporter_csv
