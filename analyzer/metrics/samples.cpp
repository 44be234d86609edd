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

/// Returns what a counter gained. Null if it was reset or is damaged, so that the difference is too large.
std::optional<std::int64_t> gainOf(const SampleValue& from, const SampleValue& to)
{
    constexpr std::uint64_t kMost = std::uint64_t{1} << 62U;
    const auto gain = static_cast<std::uint64_t>(to.value) - static_cast<std::uint64_t>(from.value);
    return gain < kMost ? std::optional(static_cast<std::int64_t>(gain)) : std::nullopt;
}

std::int64_t usualPeriod(const std::vector<SampleValue>& samples)
{
    std::vector<std::int64_t> periods;
    for (std::size_t i = 1; i < samples.size(); ++i) {
        periods.push_back(samples[i].timeNs - samples[i - 1].timeNs);
    }
    return std::max<std::int64_t>(1, model::median(std::move(periods)));
}

} // namespace

std::vector<SampledStep> sampledSteps(const trace::SeriesKindName& kind,
                                      const std::vector<SampleValue>& samples, double factor,
                                      std::int64_t endNs)
{
    constexpr std::int64_t kMostPeriods = 4; // samplers are sometimes late
    constexpr double kSecond = 1e9;
    const std::int64_t period = usualPeriod(samples);
    std::vector<SampledStep> steps;
    for (std::size_t i = 0; i < samples.size(); ++i) {
        const bool last = i + 1 == samples.size();
        const std::int64_t start = samples[i].timeNs;
        const std::int64_t next = last ? start : samples[i + 1].timeNs;
        const bool paused = last || next - start > kMostPeriods * period;
        const double value = static_cast<double>(samples[i].value) * factor;
        if (kind == "counter") {
            const auto gain = paused ? std::nullopt : gainOf(samples[i], samples[i + 1]);
            if (next > start) {
                steps.push_back({{start, next},
                                 gain ? std::optional(static_cast<double>(*gain) * factor * kSecond /
                                                      static_cast<double>(next - start))
                                      : std::nullopt});
            }
        } else if (kind == "changes") {
            const std::int64_t end = last ? std::max(start + 1, endNs) : next;
            if (end > start) { // of several changes at once, the last one holds
                steps.push_back({{start, end}, value});
            }
        } else {
            const std::int64_t end = paused ? model::addCapped(start, period) : next;
            steps.push_back({{start, end}, value});
            if (paused && !last) {
                steps.push_back({{end, next}, std::nullopt});
            }
        }
    }
    return steps;
}

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
    return gainOf(values.front(), values.back());
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
