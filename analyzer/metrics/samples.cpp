// SPDX-License-Identifier: Apache-2.0
#include "metrics/samples.h"

#include <algorithm>

namespace ringside::metrics {
namespace {

std::optional<std::uint32_t> seriesId(const trace::ProcessTrace& process, const SampledSeries& name)
{
    for (const trace::SeriesRow& row : process.series) {
        if (row.source == name.source && row.entity == name.entity && row.metric == name.metric) {
            return static_cast<std::uint32_t>(row.id);
        }
    }
    return std::nullopt;
}

} // namespace

std::vector<SampleValue> samplesIn(const trace::ProcessTrace& process, const SampledSeries& name,
                                   const model::Interval& span)
{
    std::vector<SampleValue> result;
    const auto id = seriesId(process, name);
    const trace::SampleColumns& samples = process.samples;
    for (std::size_t i = 0; id && i < samples.timeNs.size(); ++i) {
        const std::int64_t time = samples.timeNs[i];
        if (samples.series[i] == *id && time >= span.start && time < span.end) {
            result.push_back({time, samples.value[i]});
        }
    }
    std::stable_sort(result.begin(), result.end(),
                     [](const SampleValue& a, const SampleValue& b) { return a.timeNs < b.timeNs; });
    return result;
}

std::optional<std::int64_t> gainIn(const trace::ProcessTrace& process, const SampledSeries& name,
                                   const model::Interval& span)
{
    const std::vector<SampleValue> values = samplesIn(process, name, span);
    if (values.size() < 2) {
        return std::nullopt;
    }
    const auto gain =
        static_cast<std::uint64_t>(values.back().value) - static_cast<std::uint64_t>(values.front().value);
    // A larger difference means that the counter was reset or the data is damaged, so the gain is unknown.
    constexpr std::uint64_t kMost = std::uint64_t{1} << 62U;
    return gain < kMost ? std::optional(static_cast<std::int64_t>(gain)) : std::nullopt;
}

std::string gpuName(const model::Model& model, const model::Rank& rank)
{
    const trace::ProcessTrace& process = model.processOf(rank);
    std::int64_t ordinal = 0;
    if (rank.device) {
        ordinal = *rank.device;
    } else if (process.kernels.size() > 0) {
        ordinal = process.kernels.device[0];
    } else if (!process.devices.empty()) {
        ordinal = process.devices.front().ordinal;
    }
    return "gpu" + std::to_string(ordinal);
}

} // namespace ringside::metrics
