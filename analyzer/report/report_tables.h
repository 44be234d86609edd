// SPDX-License-Identifier: Apache-2.0
// Builds the tables that the text, Markdown and HTML reports and the desktop program share.
#pragma once
#include "report/report.h"
#include "report/table.h"

#include <optional>

namespace ringside::report {

[[nodiscard]] Table breakdownTable(const Report& report);
/// The same for groups of ranks (groupRanks): means over their ranks, and sums of "came last".
[[nodiscard]] Table groupBreakdownTable(const Report& report, std::size_t most);
/// The rows of breakdownTable whose ranks differ from their peers (outlyingRanks).
[[nodiscard]] Table outlierTable(const Report& report, std::size_t most);
[[nodiscard]] Table timedTable(const Report& report); ///< what CUDA events tell, ms a step
[[nodiscard]] Table idleTable(const Report& report);  ///< ms a step
/// Of one communicator, or of all.
[[nodiscard]] Table collectiveTable(const Report& report,
                                    std::optional<std::uint64_t> communicator = std::nullopt);
/// One row for all communicators of the same size: the median of their times, and the slowest of them.
[[nodiscard]] Table collectiveKindTable(const Report& report);
/// The rules that could not judge the run: what each looks for, and what it lacked.
[[nodiscard]] Table notJudgedTable(const Report& report);
[[nodiscard]] std::string breakdownTitle(const Report& report);
[[nodiscard]] std::string idleTitle(const Report& report);
[[nodiscard]] const char* collectivesTitle(const Report& report);
[[nodiscard]] Table messageTable(const Report& report); ///< sends and receives; no rows if there are none
inline constexpr std::string_view kMessagesTitle = "Sends, receives and one-sided calls of the whole run";

} // namespace ringside::report
