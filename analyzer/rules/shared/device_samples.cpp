// SPDX-License-Identifier: Apache-2.0
#include "rules/shared/device_samples.h"

#include <algorithm>

namespace ringside::rules {

model::Interval wholeLife()
{
    constexpr std::int64_t kFar = std::numeric_limits<std::int64_t>::max();
    return {-kFar, kFar};
}

std::vector<metrics::SampleValue> gpuSamples(const Context& context, const model::Rank& rank,
                                             const trace::SeriesMetric& metric, const model::Interval& span)
{
    const std::string gpu = metrics::gpuName(context.run, rank);
    return metrics::samplesIn(context.run.processOf(rank), {"nvml", gpu, metric}, span);
}

Evidence evidence(const model::Rank& rank, const std::vector<metrics::SampleValue>& samples, words::Text what)
{
    return evidence(rank, model::Interval{samples.front().timeNs, samples.back().timeNs}, std::move(what));
}

} // namespace ringside::rules
