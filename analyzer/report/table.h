// SPDX-License-Identifier: Apache-2.0
// Tables and paragraphs of text, for a terminal or as Markdown. Numbers go right, everything else left.
#pragma once
#include "report/report.h"

#include <string>
#include <string_view>
#include <vector>

namespace ringside::report {

struct Table {
    std::vector<std::string> header; ///< a line feed breaks a title in a terminal
    std::vector<std::vector<std::string>> rows;
};

[[nodiscard]] std::string plainTable(const Table& table, std::string_view indent);
[[nodiscard]] std::string markdownTable(const Table& table);
/// Text in which nothing is taken for a table's border, a tag or the end of a line.
[[nodiscard]] std::string markdownText(std::string_view text);
/// Breaks at spaces; every line begins with `indent`. Control characters become spaces.
[[nodiscard]] std::string wrap(std::string_view anyText, std::size_t width, std::string_view indent);

// The tables that the text and the Markdown report share.
[[nodiscard]] Table breakdownTable(const Report& report);
[[nodiscard]] Table timedTable(const Report& report); ///< what CUDA events tell, ms a step
[[nodiscard]] Table idleTable(const Report& report);  ///< ms a step
[[nodiscard]] Table collectiveTable(const Report& report);
[[nodiscard]] std::string breakdownTitle(const Report& report);
[[nodiscard]] std::string idleTitle(const Report& report);
[[nodiscard]] const char* collectivesTitle(const Report& report);
[[nodiscard]] Table messageTable(const Report& report); ///< sends and receives; no rows: there are none
inline constexpr std::string_view kMessagesTitle = "Sends, receives and one-sided calls of the whole run";

} // namespace ringside::report
