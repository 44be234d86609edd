// SPDX-License-Identifier: Apache-2.0
#include "record/steps.h"

#include "record/ring.h"

#include <strings.h>

#include <atomic>

namespace ringside::collector {
namespace {

std::array<std::atomic<std::uint32_t>, kStepSources> g_steps;

} // namespace

std::optional<StepSource> stepSourceOf(std::string_view rangeName)
{
    constexpr std::string_view kFirstLetters = "pPiItTsS"; // most ranges are no steps: leave at once
    if (rangeName.empty() || kFirstLetters.find(rangeName.front()) == std::string_view::npos) {
        return std::nullopt;
    }
    for (std::size_t index = 0; index < kStepNames.size(); ++index) {
        const std::string_view name = kStepNames[index];
        if (rangeName.size() < name.size() || strncasecmp(rangeName.data(), name.data(), name.size()) != 0) {
            continue;
        }
        const std::size_t number = rangeName.find_first_not_of(" _#:-", name.size());
        if (number == std::string_view::npos ||
            rangeName.find_first_not_of("0123456789", number) == std::string_view::npos) {
            return index + 1;
        }
    }
    return std::nullopt;
}

void noteStep(StepCounts& ofThread, StepSource source)
{
    const std::uint32_t steps = ++ofThread[source];
    std::uint32_t furthest = g_steps[source].load(std::memory_order_relaxed);
    while (furthest < steps && !g_steps[source].compare_exchange_weak(furthest, steps)) {
    }
    // The first steps open and close the device tier's window (device/device_tier.h): let it look at once.
    constexpr std::uint32_t kDeciding = 64;
    if (steps < kDeciding) {
        requestDrain();
    }
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
