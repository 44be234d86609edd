// SPDX-License-Identifier: Apache-2.0
#include "live/lateness.h"

#include "values/quantile.h"

#include <algorithm>

namespace ringside::live {
namespace {

std::vector<std::int64_t> lateBy(const std::vector<std::int64_t>& waited)
{
    std::vector<std::int64_t> late = values::belowTheOthers(waited);
    std::ranges::for_each(late, [](std::int64_t& ns) { ns = std::max<std::int64_t>(ns, 0); });
    return late;
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
    return communication.size() >= 2 ? std::optional(lateBy(communication)) : std::nullopt;
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
    return lateBy(blocking);
}

} // namespace ringside::live
