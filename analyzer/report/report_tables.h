// SPDX-License-Identifier: Apache-2.0
// Builds the tables of a report's document.
#pragma once
#include "document/table.h"
#include "report/report.h"

#include <optional>

namespace ringside::report {

[[nodiscard]] document::Table breakdownTable(const Report& report);
/// The same for groups of ranks (groupRanks): means over their ranks, and sums of "came last".
[[nodiscard]] document::Table groupBreakdownTable(const Report& report, std::size_t most);
/// The rows of breakdownTable whose ranks differ from their peers (outlyingRanks).
[[nodiscard]] document::Table outlierTable(const Report& report, std::size_t most);
[[nodiscard]] document::Table timedTable(const Report& report); ///< what CUDA events tell, ms a step
[[nodiscard]] document::Table idleTable(const Report& report);  ///< ms a step
/// Of one communicator, or of all.
[[nodiscard]] document::Table collectiveTable(const Report& report,
                                              std::optional<std::uint64_t> communicator = std::nullopt);
/// One row for all communicators of the same size: the median of their times, and the slowest of them.
[[nodiscard]] document::Table collectiveKindTable(const Report& report);
[[nodiscard]] std::string breakdownTitle(const Report& report);
[[nodiscard]] std::string idleTitle(const Report& report);
[[nodiscard]] const char* collectivesTitle(const Report& report);
[[nodiscard]] document::Table
messageTable(const Report& report); ///< sends and receives; no rows if there are none

} // namespace ringside::report
