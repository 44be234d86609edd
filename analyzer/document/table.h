// SPDX-License-Identifier: Apache-2.0
// Formats tables and paragraphs for a terminal, as Markdown or as CSV. Numbers are aligned right, everything
// else left.
#pragma once
#include "document/cell.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ringside::document {

/// A rank and a span of run time that show what a finding describes.
struct Place {
    std::int64_t rank = 0;
    std::int64_t startNs = 0;
    std::int64_t endNs = 0;
    std::string text; ///< "rank 2 at 1.234567 s for 8.05 ms: ..."
};

struct Table {
    std::vector<std::string> header; ///< a line feed breaks a title into lines in a terminal
    std::vector<std::vector<Cell>> rows;
    std::vector<std::optional<Place>> places = {}; ///< by row: a moment that shows it; may be shorter
};

/// Returns for each column whether it contains no text.
[[nodiscard]] std::vector<bool> rightAligned(const Table& table);
[[nodiscard]] std::string plainTable(const Table& table, std::string_view indent);
[[nodiscard]] std::string markdownTable(const Table& table);
/// Returns CSV quoted as in RFC 4180: a header line, then the plain values. A text that is like a formula
/// gets an apostrophe before it.
[[nodiscard]] std::string csvTable(const Table& table);
/// Escapes text so that nothing in it is read as a table border, a tag, a link, a mention or a line break.
[[nodiscard]] std::string markdownText(std::string_view text);
/// Breaks a text into lines at spaces; every line begins with `indent`. Control characters become spaces.
[[nodiscard]] std::string wrap(std::string_view anyText, std::size_t width, std::string_view indent);

} // namespace ringside::document
