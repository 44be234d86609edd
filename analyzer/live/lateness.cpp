// SPDX-License-Identifier: Apache-2.0
#include "live/lateness.h"

#include "values/quantile.h"

#include <algorithm>

namespace ringside::live {
namespace {

/// By how much each is below the middle one of the others (the lower one of two); 0 where it is above.
std::vector<std::int64_t> belowTheOthers(const std::vector<std::int64_t>& values)
{
    std::vector<std::int64_t> sorted = values;
    std::sort(sorted.begin(), sorted.end());
    std::vector<std::int64_t> below;
    for (const std::int64_t value : values) {
        // Of the others, sorted: those without one entry that equals `value`.
        const auto own =
            static_cast<std::size_t>(std::lower_bound(sorted.begin(), sorted.end(), value) - sorted.begin());
        const std::size_t middle = (sorted.size() - 2) / 2;
        const std::int64_t others = sorted[middle < own ? middle : middle + 1];
        below.push_back(std::max<std::int64_t>(others - value, 0));
    }
    return below;
}

} // namespace

std::optional<std::vector<std::int64_t>> lateByDevice(const std::vector<const Step*>& step)
{
    std::vector<std::int64_t> communication;
    for (const Step* each : step) {
        if (!each->communicationNs || !each->deviceStepNs) {
            return std::nullopt;
        }
        communication.push_back(*each->communicationNs);
    }
    return communication.size() >= 2 ? std::optional(belowTheOthers(communication)) : std::nullopt;
}

std::optional<std::vector<std::int64_t>> lateByHost(const std::vector<const Step*>& step)
{
    constexpr std::int64_t kShare = 5;
    std::vector<std::int64_t> blocking;
    std::vector<std::int64_t> lengths;
    for (const Step* each : step) {
        blocking.push_back(each->blockingNs);
        lengths.push_back(each->stepNs);
    }
    if (blocking.size() < 2 || values::median(blocking) * kShare < values::median(lengths)) {
        return std::nullopt;
    }
    return belowTheOthers(blocking);
}

} // namespace ringside::live
