// SPDX-License-Identifier: Apache-2.0
#include "record/step_counts.h"

#include <atomic>

namespace ringside::collector {
namespace {

std::array<std::atomic<std::uint32_t>, kStepSources> g_steps;

} // namespace

std::optional<StepSource> stepSourceOf(std::string_view rangeName)
{
    const auto step = trace::parseStepName(rangeName);
    return step ? std::optional(static_cast<StepSource>(step->priority) + 1) : std::nullopt;
}

std::uint32_t countStep(StepCounts& ofThread, StepSource source)
{
    const std::uint32_t steps = ++ofThread[source];
    std::uint32_t furthest = g_steps[source].load(std::memory_order_relaxed);
    while (furthest < steps && !g_steps[source].compare_exchange_weak(furthest, steps)) {
    }
    return steps;
}

std::uint64_t stepsNoted()
{
    for (const auto& steps : g_steps) {
        if (const std::uint32_t noted = steps.load(std::memory_order_relaxed); noted != 0) {
            return noted;
        }
    }
    return 0;
}

} // namespace ringside::collector
