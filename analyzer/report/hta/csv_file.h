// SPDX-License-Identifier: Apache-2.0
// A CSV file as pandas writes one: lines end with \n, text is quoted only where it must be, floating point
// numbers have a point and as many digits as they need, and what is no number is empty.
#pragma once
#include "output/output_file.h"

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

namespace ringside::report::hta {

class CsvFile final {
public:
    /// Creates it with the line of names; an index column has an empty one. Throws Error (Io).
    CsvFile(const std::filesystem::path& path, std::initializer_list<std::string_view> names);
    CsvFile& whole(std::int64_t value);
    CsvFile& number(double value);
    CsvFile& text(std::string_view value);
    void endRow();
    /// Throws Error (Io): what was not closed is incomplete.
    void close();

private:
    output::OutputFile m_file;
    std::string m_line;
};

} // namespace ringside::report::hta
