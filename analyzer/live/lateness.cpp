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

std::optional<std::vector<std::int64_t>> communicationOf(const std::vector<const Step*>& step)
{
    const auto byTier = [](const Step& each) {
        return each.deviceStepNs ? each.communicationNs : std::nullopt;
    };
    const bool tier = std::ranges::all_of(step, [&](const Step* each) { return byTier(*each).has_value(); });
    std::vector<std::int64_t> communication;
    for (const Step* each : step) {
        const std::optional<std::int64_t> ns = tier ? byTier(*each) : each->ncclNs;
        if (!ns) {
            return std::nullopt;
        }
        communication.push_back(*ns);
    }
    return communication;
}

std::optional<std::vector<std::int64_t>> lateByDevice(const std::vector<const Step*>& step)
{
    const auto communication = communicationOf(step);
    return communication && communication->size() >= 2 ? std::optional(lateBy(*communication)) : std::nullopt;
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
