// SPDX-License-Identifier: Apache-2.0
#include "metrics/pipeline.h"

#include <algorithm>
#include <iterator>
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

/// The messages of the analyzed steps between two stages, by pair of ranks.
class StageMessages final {
public:
    StageMessages(const model::Model& model, const RunMetrics& run) : m_model(model), m_run(run)
    {
        for (const RankMetrics& rank : run.ranks) {
            m_analyzed[rank.rank] = {rank.windows.front().start, rank.windows.back().end};
        }
    }

    /// Returns the mean number of messages per analyzed step from a stage to the one that `next` gives,
    /// median over the pairs of ranks. 0 if there are none.
    [[nodiscard]] std::int64_t perStep(std::int64_t (*next)(std::int64_t stage, std::int64_t stages)) const
    {
        std::map<std::pair<std::size_t, std::size_t>, std::int64_t> counts;
        for (const model::Message& message : m_model.messages) {
            const std::int64_t to =
                next(stageOf(m_model, message.sender.rank), m_model.layout.sizes.pipeline);
            if (stageOf(m_model, message.receiver.rank) == to && isAnalyzed(message)) {
                ++counts[{message.sender.rank, message.receiver.rank}];
            }
        }
        std::vector<std::int64_t> perStep;
        for (const auto& [pair, count] : counts) {
            const auto steps = static_cast<std::int64_t>(std::max<std::size_t>(1, m_run.stepCount()));
            perStep.push_back((count + steps / 2) / steps);
        }
        return perStep.empty() ? 0 : model::median(std::move(perStep));
    }

private:
    [[nodiscard]] bool isAnalyzed(const model::Message& message) const
    {
        const auto span = m_analyzed.find(message.sender.rank);
        return span != m_analyzed.end() && message.sender.device &&
               message.sender.device->start >= span->second.start &&
               message.sender.device->start < span->second.end;
    }

    const model::Model& m_model;
    const RunMetrics& m_run;
    std::map<std::size_t, Interval> m_analyzed;
};

std::int64_t stageBehind(std::int64_t stage, std::int64_t /*stages*/)
{
    return stage + 1;
}

/// The first stage for the last one. No other stage has one.
std::int64_t stageAround(std::int64_t stage, std::int64_t stages)
{
    return stage == stages ? 1 : 0;
}

/// Returns the chunks of layers on each stage. Each micro-batch passes from stage to stage once a chunk, and
/// from the last stage to the first one time less. Two stages exchange all messages, which then cannot be
/// told apart.
std::int64_t chunksOf(std::int64_t passes, std::int64_t around, std::int64_t stages)
{
    return stages > 2 && around > 0 && around < passes ? (passes + (passes - around) / 2) / (passes - around)
                                                       : 1;
}

/// Returns how often a rank of the first stage sends in a step, for traces that do not tell to whom. It has
/// only the next stage to send to.
std::int64_t sendsOfFirstStage(const model::Model& model, const RunMetrics& run)
{
    std::vector<std::int64_t> perStep;
    for (const RankMetrics& figures : run.ranks) {
        const model::Rank& rank = model.ranks[figures.rank];
        const auto steps = static_cast<std::int64_t>(rank.steps.size());
        if (stageOf(model, figures.rank) != 1 || steps == 0) {
            continue;
        }
        const trace::ProcessTrace& process = model.processOf(rank);
        const std::int64_t sends =
            std::ranges::count_if(process.collectiveCalls, [&](const trace::CollectiveCallRow& call) {
                return model::collectiveKind(process.text(call.api)) == model::CollectiveKind::Send;
            });
        perStep.push_back((sends + steps / 2) / steps);
    }
    return model::median(std::move(perStep));
}

/// Returns the parts of a rank's analyzed steps after its last message, which ended at one of `ends`.
std::vector<Interval> behindMessages(const RankMetrics& rank, std::vector<std::int64_t> ends)
{
    std::ranges::sort(ends);
    std::vector<Interval> parts;
    for (const Interval& window : rank.windows) {
        const auto next = std::ranges::lower_bound(ends, window.end);
        if (next != ends.begin() && *(next - 1) > window.start) {
            parts.push_back({*(next - 1), window.end});
        }
    }
    return parts;
}

/// Returns the time of compute kernels that start in a part, ns. Kernels of several streams count each,
/// because the figure is only compared with the same one of another stage.
std::vector<std::int64_t> computeIn(const model::Model& model, const model::Rank& rank,
                                    const std::vector<Interval>& parts)
{
    const trace::KernelColumns& kernels = model.processOf(rank).kernels;
    const model::KernelClasses& classes = model.classes[rank.process];
    std::vector<std::int64_t> times(parts.size());
    for (std::size_t i = 0; i < kernels.size(); ++i) {
        const std::int64_t start = kernels.startNs[i];
        const auto part = values::indexAt(parts, start);
        if (part && rank.owns(kernels.device[i]) &&
            classes.of(kernels.name[i]) == model::KernelClass::Compute) {
            times[*part] = model::addCapped(times[*part], kernels.endNs[i] - start);
        }
    }
    return times;
}

/// Returns how long the ranks of a stage compute after their last message with another stage in a step,
/// median over ranks and steps, ns.
std::int64_t computeBehindMessages(const model::Model& model, const RunMetrics& run, std::int64_t stage)
{
    std::map<std::size_t, std::vector<std::int64_t>> ends; ///< of the messages of each rank
    for (const model::Message& message : model.messages) {
        if (stageOf(model, message.sender.rank) == stageOf(model, message.receiver.rank)) {
            continue;
        }
        for (const model::MessageEnd* const end : {&message.sender, &message.receiver}) {
            if (end->device && stageOf(model, end->rank) == stage) {
                ends[end->rank].push_back(end->device->end);
            }
        }
    }
    std::vector<std::int64_t> times;
    for (const RankMetrics& rank : run.ranks) {
        const auto own = ends.find(rank.rank);
        if (own != ends.end()) {
            std::ranges::copy(computeIn(model, model.ranks[rank.rank], behindMessages(rank, own->second)),
                              std::back_inserter(times));
        }
    }
    return times.empty() ? 0 : model::median(std::move(times));
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
    const StageMessages messages(model, run);
    const std::int64_t stages = model.layout.sizes.pipeline;
    result.passes = model.messages.empty() ? sendsOfFirstStage(model, run) : messages.perStep(stageBehind);
    result.chunks = chunksOf(result.passes, messages.perStep(stageAround), stages);
    result.zeroBubble = result.passes > 0 && result.chunks == 1 &&
                        computeBehindMessages(model, run, stages) > computeBehindMessages(model, run, 1);
    result.bubble = bubbleOf(run);
    return result;
}

} // namespace ringside::metrics
