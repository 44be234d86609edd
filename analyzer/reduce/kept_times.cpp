// SPDX-License-Identifier: Apache-2.0
#include "reduce/kept_times.h"

#include <algorithm>
#include <limits>

namespace ringside::reduce {
namespace {

/// How many steps the host may run ahead of the device; as far as reports in stretches look ahead, too.
constexpr std::size_t kFarthestAhead = 32;
/// The last calls of a process are looked for in so many steps.
constexpr std::size_t kLastSteps = 3;
constexpr std::int64_t kEver = std::numeric_limits<std::int64_t>::max();

std::int64_t startOf(const std::vector<model::Step>& steps, std::size_t index)
{
    return index < steps.size() ? steps[index].host.start : kEver;
}

void addRange(std::vector<trace::TimeRange>& ranges, const trace::TimeRange& range)
{
    if (!ranges.empty() && range.beginNs <= ranges.back().endNs) {
        ranges.back().endNs = std::max(ranges.back().endNs, range.endNs);
    } else {
        ranges.push_back(range);
    }
}

} // namespace

bool KeptTimes::holds(std::int64_t hostNs) const
{
    return values::indexAt(host, hostNs).has_value();
}

KeptTimes keptTimesOf(const std::vector<model::Step>& steps, const StepSample& sample)
{
    KeptTimes kept;
    std::vector<trace::TimeRange> ranges;
    for (std::size_t i = 0; i < steps.size(); ++i) {
        if (!sample.holds(steps[i].number)) {
            continue;
        }
        const model::Interval& step = steps[i].host;
        if (!kept.host.empty() && kept.host.back().end == step.start) {
            kept.host.back().end = step.end;
        } else {
            kept.host.push_back(step);
        }
        addRange(ranges, {step.start, startOf(steps, i + 1 + kFarthestAhead)});
    }
    const std::size_t last = steps.size() - std::min(steps.size(), kLastSteps);
    addRange(ranges,
             {steps.empty() ? std::numeric_limits<std::int64_t>::min() : steps[last].host.start, kEver});
    kept.read = trace::TimeRanges(std::move(ranges));
    return kept;
}

} // namespace ringside::reduce
