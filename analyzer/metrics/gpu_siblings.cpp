// SPDX-License-Identifier: Apache-2.0
#include "metrics/gpu_siblings.h"

#include "metrics/samples.h"
#include "trace/vocabulary/clock_reasons.h"

#include <algorithm>
#include <map>

namespace ringside::metrics {
namespace {

using conditions::Subject;

/// The model of a GPU; empty if it is not known.
std::string modelOf(const model::Model& model, const Subject& gpu)
{
    for (const trace::DeviceRow& device : model.processOf(model.ranks[*gpu.rank]).devices) {
        if ("gpu" + std::to_string(device.ordinal) == gpu.name) {
            return device.name;
        }
    }
    return {};
}

std::vector<SampleValue> inSteps(const model::Model& model, const RankMetrics& rank, const Subject& gpu,
                                 const trace::SeriesMetric& metric)
{
    const model::Interval steps{rank.windows.front().start, rank.windows.back().end};
    return samplesIn(model.processOf(model.ranks[*gpu.rank]), {"nvml", gpu.name, metric}, steps);
}

/// A GPU at full load is expected to be at its power cap.
bool isCapped(const std::vector<SampleValue>& reasons)
{
    using namespace trace::clock_reasons;
    const auto has = [](std::int64_t bits) {
        return [bits](const SampleValue& sample) { return (sample.value & bits) != 0; };
    };
    return std::ranges::none_of(reasons, has(kTrouble)) &&
           2 * std::ranges::count_if(reasons, has(kPowerCap)) > std::ssize(reasons);
}

/// A GPU with the median of its clock over the analyzed steps. Null if it was not sampled.
struct Sibling {
    Subject* gpu = nullptr;
    std::optional<std::int64_t> clockMhz;
};

Sibling siblingOf(const model::Model& model, const std::vector<RankMetrics>& ranks, Subject& gpu)
{
    const auto rank = std::ranges::find(ranks, *gpu.rank, &RankMetrics::rank);
    if (rank == ranks.end()) {
        return {&gpu, {}};
    }
    std::vector<std::int64_t> clocks;
    for (const SampleValue& sample : inSteps(model, *rank, gpu, "sm_clock_mhz")) {
        clocks.push_back(sample.value);
    }
    if (isCapped(inSteps(model, *rank, gpu, "clock_event_reasons"))) {
        gpu.facts.insert_or_assign("at_power_cap", "yes");
    }
    return {&gpu, clocks.empty() ? std::nullopt : std::optional(model::median(std::move(clocks)))};
}

void compareLinks(const std::vector<Sibling>& siblings)
{
    std::int64_t most = 0;
    for (const auto& [gpu, clock] : siblings) {
        most = std::max(
            {most, gpu->first("nvlink_links_up").value_or(0), gpu->last("nvlink_links_up").value_or(0)});
    }
    for (const auto& [gpu, clock] : siblings) {
        gpu->facts.insert_or_assign("nvlinks_of_siblings", std::to_string(most));
    }
}

void compareClocks(const std::vector<Sibling>& siblings)
{
    std::vector<double> clocks;
    for (const auto& [gpu, clock] : siblings) {
        if (clock) {
            clocks.push_back(static_cast<double>(*clock));
        }
    }
    constexpr std::size_t kLeast = 3; // of two it is not known which one differs
    if (clocks.size() < kLeast) {
        return;
    }
    const std::string median = std::to_string(model::median(std::move(clocks)));
    for (const auto& [gpu, clock] : siblings) {
        if (clock) {
            gpu->facts.insert_or_assign("clock_mhz", std::to_string(*clock));
            gpu->facts.insert_or_assign("clock_of_siblings", median);
        }
    }
}

} // namespace

void compareSiblings(const model::Model& model, RunMetrics& run)
{
    std::map<std::string, std::vector<Sibling>> models;
    for (Subject& gpu : run.gpus) {
        if (gpu.rank) {
            models[modelOf(model, gpu)].push_back(siblingOf(model, run.ranks, gpu));
        }
    }
    for (const auto& [name, siblings] : models) {
        compareLinks(siblings);
        compareClocks(siblings);
    }
}

} // namespace ringside::metrics
