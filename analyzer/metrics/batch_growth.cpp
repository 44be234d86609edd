// SPDX-License-Identifier: Apache-2.0
#include "metrics/batch_growth.h"

#include "metrics/compute_launches.h"
#include "metrics/pipeline.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace ringside::metrics {
namespace {

/// Indices into RunMetrics::ranks, by replica. A rank without a known replica is one by itself.
std::vector<std::vector<std::size_t>> replicasOf(const model::Model& model, const RunMetrics& run)
{
    std::map<std::pair<bool, std::int64_t>, std::vector<std::size_t>> replicas;
    for (std::size_t rank = 0; rank < run.ranks.size(); ++rank) {
        const auto replica = replicaOf(model, run.ranks[rank]);
        const bool pipelined = model.layout.isKnown() && model.layout.sizes.data == 1;
        replicas[{replica.has_value() || pipelined,
                  replica.value_or(pipelined ? 0 : static_cast<std::int64_t>(rank))}]
            .push_back(rank);
    }
    std::vector<std::vector<std::size_t>> result;
    for (auto& [key, ranks] : replicas) {
        result.push_back(std::move(ranks));
    }
    return result;
}

/// Returns by how much each rank's compute is relatively above its usual one and above that of all ranks in
/// the same step. Indices: step, RunMetrics::ranks.
std::vector<std::vector<double>> growthAboveOthers(const RunMetrics& run)
{
    std::vector<std::vector<double>> growth(run.stepCount());
    for (std::size_t step = 0; step < growth.size(); ++step) {
        for (const RankMetrics& rank : run.ranks) {
            growth[step].push_back(static_cast<double>(rank.steps[step].computeNs) /
                                   static_cast<double>(std::max<std::int64_t>(1, rank.median.computeNs)));
        }
        const double mean = std::accumulate(growth[step].begin(), growth[step].end(), 0.0) /
                            static_cast<double>(run.ranks.size());
        std::ranges::for_each(growth[step], [mean](double& each) { each -= mean; });
    }
    return growth;
}

std::optional<double> sharedByReplicas(const model::Model& model, const RunMetrics& run)
{
    const std::vector<std::vector<std::size_t>> replicas = replicasOf(model, run);
    const bool several = replicas.size() > 1 &&
                         std::ranges::all_of(replicas, [](const auto& ranks) { return ranks.size() > 1; });
    if (!several) {
        return std::nullopt;
    }
    double own = 0;
    double shared = 0;
    for (const std::vector<double>& step : growthAboveOthers(run)) {
        for (const std::vector<std::size_t>& ranks : replicas) {
            double sum = 0;
            double squares = 0;
            for (const std::size_t rank : ranks) {
                sum += step[rank];
                squares += step[rank] * step[rank];
            }
            own += squares;
            shared += (sum * sum - squares) / static_cast<double>(ranks.size() - 1);
        }
    }
    return own > 0 ? std::optional(shared / own) : std::nullopt;
}

/// A rank's launches in some steps, with the usual time of each.
struct RankLaunches {
    std::vector<StepLaunches> steps;
    std::map<LaunchPosition, double> usual;
};

RankLaunches launchesOf(const model::Model& model, const RankMetrics& rank)
{
    RankLaunches launches;
    const std::vector<std::size_t> chosen = chosenSteps(rank.windows.size());
    launches.steps = computeLaunchesOf(model, rank, chosen);
    launches.usual = usualTimes(launches.steps);
    return launches;
}

/// Sums over pairs of neighbours: what they share, and what each of them has.
struct Shared {
    double shared = 0;
    double own = 0;
};

/// Adds the pairs of a step. Each kernel weighs by its usual time.
void addPairs(const StepLaunches& step, const std::map<LaunchPosition, double>& usual,
              std::array<Shared, 2>& pairs)
{
    const auto grown = [&](const ComputeLaunch& launch) {
        const double ns = usual.at(launch.position);
        return ns > 0 ? (launch.ns - ns) / std::sqrt(ns) : 0.0; // relative growth times the weight's root
    };
    for (std::size_t i = 1; i < step.size(); ++i) {
        const double a = grown(step[i - 1]);
        const double b = grown(step[i]);
        pairs[i % 2].shared += 2 * a * b;
        pairs[i % 2].own += a * a + b * b;
    }
}

/// A pass may be as short as two kernels, so that every other pair lies across the border of two passes. The
/// kernels are paired from the first or from the second one on, whichever fits the rank better.
std::optional<double> sharedByNeighbours(const model::Model& model, const RunMetrics& run)
{
    Shared all;
    for (const RankMetrics& rank : run.ranks) {
        const RankLaunches launches = launchesOf(model, rank);
        std::array<Shared, 2> pairs{};
        for (const StepLaunches& step : launches.steps) {
            addPairs(step, launches.usual, pairs);
        }
        const Shared& better =
            pairs[0].shared * pairs[1].own > pairs[1].shared * pairs[0].own ? pairs[0] : pairs[1];
        all.shared += better.shared;
        all.own += better.own;
    }
    return all.own > 0 ? std::optional(all.shared / all.own) : std::nullopt;
}

/// Returns how many times as long as all launches together the longest pass of a step took, relative to what
/// is usual. A pass is `width` launches in a row. At least 1.
template <typename Usual>
double longestOverMean(const StepLaunches& step, std::size_t width, const Usual& usualOf)
{
    std::vector<double> sums{0};
    std::vector<double> usualSums{0};
    double longest = 0;
    for (const ComputeLaunch& launch : step) {
        sums.push_back(sums.back() + launch.ns);
        usualSums.push_back(usualSums.back() + usualOf(launch));
        const std::size_t end = sums.size() - 1;
        const double passNs = end >= width ? usualSums[end] - usualSums[end - width] : 0;
        longest = passNs > 0 ? std::max(longest, (sums[end] - sums[end - width]) / passNs) : longest;
    }
    const double mean = usualSums.back() > 0 ? sums.back() / usualSums.back() : 0;
    return mean > 0 ? std::max(1.0, longest / mean) : 1;
}

/// Returns the mean time of the launches of each name.
std::map<std::string_view, double> meansByName(const std::vector<StepLaunches>& steps)
{
    std::map<std::string_view, std::pair<double, double>> sums; // ns, launches
    for (const StepLaunches& step : steps) {
        for (const ComputeLaunch& launch : step) {
            sums[launch.position.first].first += launch.ns;
            sums[launch.position.first].second += 1;
        }
    }
    std::map<std::string_view, double> means;
    for (const auto& [name, sum] : sums) {
        means[name] = sum.first / sum.second;
    }
    return means;
}

/// What a rank shows of its longest pass in each of the chosen steps.
struct RankPasses {
    std::vector<double> times; ///< longest over mean
    std::vector<double> ns;    ///< of compute
};

/// What is usual is estimated twice: by place in the step, from few steps, and by name, which several shapes
/// may share. Both errors make the longest pass look longer, so that the smaller result counts.
RankPasses passesOf(const model::Model& model, const RankMetrics& rank, const PipelineFigures& pipeline)
{
    // A backward pass launches about twice as many kernels as a forward pass, so that this many are in each.
    constexpr std::size_t kForwardPasses = 3;
    const RankLaunches launches = launchesOf(model, rank);
    const std::map<std::string_view, double> means = meansByName(launches.steps);
    RankPasses passes;
    for (const StepLaunches& step : launches.steps) {
        const std::size_t width = std::max<std::size_t>(
            1, step.size() / (kForwardPasses * static_cast<std::size_t>(pipeline.passes)));
        passes.times.push_back(std::min(
            longestOverMean(step, width,
                            [&](const ComputeLaunch& launch) { return launches.usual.at(launch.position); }),
            longestOverMean(step, width,
                            [&](const ComputeLaunch& launch) { return means.at(launch.position.first); })));
        passes.ns.push_back(
            std::accumulate(step.begin(), step.end(), 0.0,
                            [](double sum, const ComputeLaunch& launch) { return sum + launch.ns; }));
    }
    return passes;
}

/// Of a replica in a step, means over its ranks.
struct ReplicaStep {
    double computeNs = 0;
    double waitNs = 0;
    double times = 0;
    [[nodiscard]] double lengthNs() const { return computeNs + waitNs; }
};

ReplicaStep replicaStep(const std::vector<RankPasses>& passes, const std::vector<std::size_t>& ranks,
                        std::size_t step, const PipelineFigures& pipeline)
{
    const double others = static_cast<double>(pipeline.stages.size()) - 1;
    ReplicaStep result;
    for (const std::size_t rank : ranks) {
        const RankPasses& own = passes[rank];
        const auto part = 1.0 / static_cast<double>(ranks.size());
        const double times = own.times[step];
        const double passNs = own.ns[step] / static_cast<double>(pipeline.passes);
        result.computeNs += part * own.ns[step];
        result.waitNs += part * others * (times - 1) * passNs;
        result.times += part * times;
    }
    return result;
}

} // namespace

std::optional<bool> BatchGrowth::isOfBatches() const
{
    if (ofReplicas) {
        return *ofReplicas >= kSharedGrowth;
    }
    if (!sameKernels) {
        return isOfMicroBatches();
    }
    return *sameKernels >= kSameKernels || isOfMicroBatches().value_or(false);
}

std::optional<bool> BatchGrowth::isOfMicroBatches() const
{
    return neighbours ? std::optional(*neighbours >= kSharedGrowth) : std::nullopt;
}

BatchGrowth batchGrowthOf(const model::Model& model, const RunMetrics& run, const ChangingCompute& changing)
{
    return {sharedByReplicas(model, run), recurringGrowth(model, run, changing.longer),
            sharedByNeighbours(model, run)};
}

LongestPass longestPassOf(const model::Model& model, const RunMetrics& run)
{
    const PipelineFigures pipeline = pipelineOf(model, run);
    if (pipeline.stages.size() < 2 || pipeline.passes < 2) {
        return {};
    }
    std::vector<RankPasses> passes;
    for (const RankMetrics& rank : run.ranks) {
        passes.push_back(passesOf(model, rank, pipeline));
    }
    const std::vector<std::vector<std::size_t>> replicas = replicasOf(model, run);
    const std::size_t steps = passes.front().ns.size();
    LongestPass result;
    for (std::size_t step = 0; step < steps; ++step) {
        ReplicaStep longest;
        for (const std::vector<std::size_t>& ranks : replicas) {
            const ReplicaStep each = replicaStep(passes, ranks, step, pipeline);
            longest = each.lengthNs() > longest.lengthNs() ? each : longest;
        }
        result.waitNs += longest.waitNs / static_cast<double>(steps);
        result.times += longest.times / static_cast<double>(steps);
    }
    return result;
}

} // namespace ringside::metrics
