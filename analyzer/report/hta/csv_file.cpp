// SPDX-License-Identifier: Apache-2.0
#include "report/hta/csv_file.h"

#include <fmt/format.h>

#include <cmath>

namespace ringside::report::hta {

CsvFile::CsvFile(const std::filesystem::path& path, std::initializer_list<std::string_view> names)
    : m_file(path)
{
    for (const std::string_view name : names) {
        text(name);
    }
    endRow();
}

CsvFile& CsvFile::whole(std::int64_t value)
{
    m_line += fmt::format("{},", value);
    return *this;
}

CsvFile& CsvFile::number(double value)
{
    if (!std::isnan(value)) {
        const std::string digits = fmt::format("{}", value);
        m_line += digits;
        m_line += digits.find_first_of(".ein") == std::string::npos ? ".0" : "";
    }
    m_line += ',';
    return *this;
}

CsvFile& CsvFile::text(std::string_view value)
{
    const bool quoted = value.find_first_of(",\"\r\n") != std::string_view::npos;
    m_line += quoted ? "\"" : "";
    for (const char c : value) {
        m_line.append(c == '"' ? 2 : 1, c);
    }
    m_line += quoted ? "\"," : ",";
    return *this;
}

void CsvFile::endRow()
{
    m_line.back() = '\n';
    m_file.write(m_line);
    m_line.clear();
}

void CsvFile::close()
{
    m_file.close();
}

} // namespace ringside::report::hta
