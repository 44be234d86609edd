// SPDX-License-Identifier: Apache-2.0
// How many steps the program has marked, for windows by steps. A program may say the same step
// several times (an explicit mark, an NVTX range, a range inside that one): the best source that it uses
// counts, the others do not, in the order in which the analyzer takes them (analyzer/model/steps.cpp).
// Several threads may each mark every step (a process with several ranks): the furthest one counts.
#pragma once
#include <ringside/trace/step_name.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace ringside::collector {

/// 0: explicit marks; from 1 on the names of NVTX ranges (trace::kStepNames), best first.
using StepSource = std::size_t;
inline constexpr StepSource kMarkedSteps = 0;
inline constexpr std::size_t kStepSources = 1 + trace::kStepNames.size();

/// Of an NVTX range that is one training step.
std::optional<StepSource> stepSourceOf(std::string_view rangeName);

/// Steps begun on one thread, by source. noteStep applies the level that the step brings.
using StepCounts = std::array<std::uint32_t, kStepSources>;
void noteStep(StepCounts& ofThread, StepSource source);
std::uint64_t stepsNoted();

} // namespace ringside::collector
