// SPDX-License-Identifier: Apache-2.0
// Tables of text, aligned for a terminal or as Markdown. Numbers go right, everything else left.
#pragma once
#include "report/report.h"

#include <string>
#include <vector>

namespace ringside::report {

struct Table {
    std::vector<std::string> header;
    std::vector<std::vector<std::string>> rows;
};

[[nodiscard]] std::string plainTable(const Table& table, std::string_view indent);
[[nodiscard]] std::string markdownTable(const Table& table);
/// Breaks at spaces; every line begins with `indent`.
[[nodiscard]] std::string wrap(std::string_view text, std::size_t width, std::string_view indent);

// The tables that the text and the Markdown report share.
[[nodiscard]] Table breakdownTable(const Report& report);
[[nodiscard]] Table collectiveTable(const Report& report);
[[nodiscard]] Table tierTable(const Report& report);
/// "Steps: 40 found, 38 analyzed ..." and so on: what the figures rest on, one sentence a line.
[[nodiscard]] std::vector<std::string> coverageLines(const Report& report);
/// "1-3, 7" of many ranks; "all" when empty.
[[nodiscard]] std::string rankList(const std::vector<std::int64_t>& ranks);
/// "12.34 ms a step", or "not estimated".
[[nodiscard]] std::string costText(const rules::Finding& finding);

} // namespace ringside::report
