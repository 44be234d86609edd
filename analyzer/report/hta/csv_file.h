// SPDX-License-Identifier: Apache-2.0
// Writes CSV files as pandas does: lines end with
// , text is quoted only if necessary, floating point numbers have a decimal point and as many digits as
// needed, and NaN is an empty field.
#pragma once
#include "output/output_file.h"

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

namespace ringside::report::hta {

class CsvFile final {
public:
    /// Creates the file with a header line; the name of an index column is empty. Throws Error (Io).
    CsvFile(const std::filesystem::path& path, std::initializer_list<std::string_view> names);
    CsvFile& whole(std::int64_t value);
    CsvFile& number(double value);
    CsvFile& text(std::string_view value);
    void endRow();
    /// Must be called to complete the file. Throws Error (Io).
    void close();

private:
    output::OutputFile m_file;
    std::string m_line;
};

} // namespace ringside::report::hta
