// SPDX-License-Identifier: Apache-2.0
// Tables and paragraphs of text, for a terminal or as Markdown. Numbers go right, everything else left.
#pragma once
#include "report/cell.h"

#include <string>
#include <string_view>
#include <vector>

namespace ringside::report {

struct Table {
    std::vector<std::string> header; ///< a line feed breaks a title in a terminal
    std::vector<std::vector<Cell>> rows;
};

/// By column: whether no row holds words there.
[[nodiscard]] std::vector<bool> rightAligned(const Table& table);
[[nodiscard]] std::string plainTable(const Table& table, std::string_view indent);
[[nodiscard]] std::string markdownTable(const Table& table);
/// Quoted as RFC 4180 says: a line of titles, then the bare values.
[[nodiscard]] std::string csvTable(const Table& table);
/// Text in which nothing is taken for a table's border, a tag or the end of a line.
[[nodiscard]] std::string markdownText(std::string_view text);
/// Breaks at spaces; every line begins with `indent`. Control characters become spaces.
[[nodiscard]] std::string wrap(std::string_view anyText, std::size_t width, std::string_view indent);

} // namespace ringside::report
