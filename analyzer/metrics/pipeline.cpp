// SPDX-License-Identifier: Apache-2.0
#include "metrics/pipeline.h"

#include <algorithm>
#include <limits>
#include <map>

namespace ringside::metrics {
namespace {

std::int64_t stageOf(const model::Model& model, std::size_t rank)
{
    return model.layout.isKnown() ? model.layout.places[rank].stage.value_or(0) : 0;
}

/// Returns the median compute time of a stage's ranks in one step, ns.
std::int64_t computeAt(const std::vector<const RankMetrics*>& ranks, std::size_t step)
{
    std::vector<std::int64_t> times;
    for (const RankMetrics* const rank : ranks) {
        if (step < rank->steps.size()) {
            times.push_back(rank->steps[step].computeNs);
        }
    }
    return model::median(std::move(times));
}

/// Returns the mean number of messages per analyzed step from one stage to the next, median over the pairs of
/// ranks.
std::int64_t passesOf(const model::Model& model, const RunMetrics& run)
{
    std::map<std::size_t, Interval> analyzed;
    for (const RankMetrics& rank : run.ranks) {
        analyzed[rank.rank] = {rank.windows.front().start, rank.windows.back().end};
    }
    std::map<std::pair<std::size_t, std::size_t>, std::int64_t> counts;
    for (const model::Message& message : model.messages) {
        const std::size_t from = message.sender.rank;
        const auto span = analyzed.find(from);
        const bool forward = stageOf(model, message.receiver.rank) == stageOf(model, from) + 1;
        if (forward && span != analyzed.end() && message.sender.device &&
            message.sender.device->start >= span->second.start &&
            message.sender.device->start < span->second.end) {
            ++counts[{from, message.receiver.rank}];
        }
    }
    std::vector<std::int64_t> perStep;
    for (const auto& [pair, count] : counts) {
        const auto steps = static_cast<std::int64_t>(std::max<std::size_t>(1, run.stepCount()));
        perStep.push_back((count + steps / 2) / steps);
    }
    return model::median(std::move(perStep));
}

/// Returns the bubble, the mean over the ranks. A rank's bubble is its exposed waiting inside communication
/// (for a message, or in a collective for the earlier stages to drain) plus the idle time beyond that of the
/// least idle rank.
double bubbleOf(const RunMetrics& run)
{
    std::int64_t leastIdle = std::numeric_limits<std::int64_t>::max();
    for (const RankMetrics& rank : run.ranks) {
        leastIdle = std::min(leastIdle, rank.total.idleNs);
    }
    double sum = 0;
    for (const RankMetrics& rank : run.ranks) {
        sum += rank.total.share(model::addCapped(rank.total.exposedWaitNs, rank.total.idleNs - leastIdle));
    }
    return sum / static_cast<double>(run.ranks.size());
}

} // namespace

PipelineFigures pipelineOf(const model::Model& model, const RunMetrics& run)
{
    PipelineFigures result;
    std::map<std::int64_t, std::vector<const RankMetrics*>> byStage;
    for (const RankMetrics& rank : run.ranks) {
        byStage[stageOf(model, rank.rank)].push_back(&rank);
    }
    if (!model.layout.isKnown() || model.layout.sizes.pipeline < 2 ||
        static_cast<std::int64_t>(byStage.size()) != model.layout.sizes.pipeline) {
        return result;
    }
    result.steps = run.stepCount();
    for (const auto& [stage, ranks] : byStage) {
        PipelineStage entry{stage, {}, 0, 0};
        std::vector<std::int64_t> computes;
        for (const RankMetrics* const rank : ranks) {
            entry.ranks.push_back(rank->rank);
            computes.push_back(rank->median.computeNs);
        }
        entry.computeNs = model::median(std::move(computes));
        result.stages.push_back(std::move(entry));
    }
    for (std::size_t step = 0; step < result.steps; ++step) {
        const auto longest = std::ranges::max_element(result.stages, {}, [&](const PipelineStage& stage) {
            return computeAt(byStage[stage.stage], step);
        });
        ++longest->longestOfSteps;
    }
    result.passes = passesOf(model, run);
    result.bubble = bubbleOf(run);
    return result;
}

} // namespace ringside::metrics
