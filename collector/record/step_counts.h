// SPDX-License-Identifier: Apache-2.0
// Counts the steps that the program has marked, for windows by steps. A program may mark a step several
// times (an explicit mark, an NVTX range, a range inside that one). Only the best source counts, in the
// same order as in analyzer/model/steps.cpp. If several threads mark every step (a process with several
// ranks), the furthest one counts.
#pragma once
#include <ringside/trace/step_name.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace ringside::collector {

/// 0: explicit marks. From 1 on: names of NVTX ranges (trace::kStepNames), best first.
using StepSource = std::size_t;
inline constexpr StepSource kMarkedSteps = 0;
inline constexpr std::size_t kStepSources = 1 + trace::kStepNames.size();

/// The source of an NVTX range that is one training step.
std::optional<StepSource> stepSourceOf(std::string_view rangeName);

/// Steps begun on one thread, by source.
using StepCounts = std::array<std::uint32_t, kStepSources>;
/// Returns how many steps of this source the thread has begun, this one included.
std::uint32_t countStep(StepCounts& ofThread, StepSource source);
std::uint64_t stepsNoted();

} // namespace ringside::collector
