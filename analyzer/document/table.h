// SPDX-License-Identifier: Apache-2.0
// Formats tables and paragraphs for a terminal, as Markdown or as CSV. Numbers are aligned right, everything
// else left.
#pragma once
#include "document/cell.h"

#include <string>
#include <string_view>
#include <vector>

namespace ringside::document {

struct Table {
    std::vector<std::string> header; ///< a line feed breaks a title into lines in a terminal
    std::vector<std::vector<Cell>> rows;
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
