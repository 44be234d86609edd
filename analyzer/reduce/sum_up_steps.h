// SPDX-License-Identifier: Apache-2.0
// Sums up every step of processes whose trace has no table step_summary: those of other tools, and older
// ones.
#pragma once
#include "reduce/host_run.h"

#include <ringside/trace/rows.h>

#include <cstdint>
#include <vector>

namespace ringside::reduce {

/// Rows of all processes of the host that are in memory at a time.
inline constexpr std::uint64_t kRowBytes = std::uint64_t{512} << 20U;

/// Returns a row for each step and rank of the host's own processes, in the order of `processes`. Device
/// figures are those of a report; they are null in steps that it would not analyze, such as the first and the
/// last. A long run is read in stretches of steps.
[[nodiscard]] std::vector<std::vector<trace::StepSummaryRow>> sumUpSteps(const HostRun& host,
                                                                         std::uint64_t rowBytes = kRowBytes);

} // namespace ringside::reduce
