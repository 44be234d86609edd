// SPDX-License-Identifier: Apache-2.0
#include "rules/shared/reductions.h"

#include <algorithm>

namespace ringside::rules {
namespace {

bool isBackward(std::string_view name)
{
    std::string lower(name);
    std::transform(lower.begin(), lower.end(), lower.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return lower == "backward" || lower.rfind("backward ", 0) == 0 || lower.rfind("backward:", 0) == 0;
}

/// Returns the host ranges of the backward passes, ordered by their starts.
std::vector<model::Interval> backwardPasses(const trace::ProcessTrace& process)
{
    std::vector<model::Interval> passes;
    for (const trace::RangeRow& range : process.ranges) {
        if (isBackward(process.text(range.name))) {
            passes.push_back({range.startNs, range.endNs});
        }
    }
    std::sort(passes.begin(), passes.end(),
              [](const auto& left, const auto& right) { return left.start < right.start; });
    return passes;
}

/// Returns when the host of a rank called its gradient reductions, in order.
std::vector<std::int64_t> gradientCalls(const Context& context, const metrics::RankMetrics& metrics)
{
    const trace::ProcessTrace& process = context.run.processOf(context.rankOf(metrics));
    std::vector<std::int64_t> calls;
    for (const metrics::OperationExposure& each : metrics.exposures) {
        const model::Operation& operation = context.run.operations[each.operation];
        for (const model::Participant& part : operation.participants) {
            if (part.rank == metrics.rank && model::isGradient(operation, context.run.worldSize)) {
                calls.push_back(process.collectiveCalls[part.call].startNs);
            }
        }
    }
    std::sort(calls.begin(), calls.end());
    return calls;
}

} // namespace

Passes findPasses(const Context& context, const metrics::RankMetrics& metrics)
{
    const model::Rank& rank = context.rankOf(metrics);
    const std::vector<std::int64_t> calls = gradientCalls(context, metrics);
    const std::vector<model::Interval> passes = backwardPasses(context.run.processOf(rank));
    Passes found;
    for (const model::Step& step : rank.steps) {
        if (!std::binary_search(context.run.analyzedSteps.begin(), context.run.analyzedSteps.end(),
                                step.number)) {
            continue;
        }
        std::size_t& sending = found.ofStep.emplace_back(0);
        auto pass = std::lower_bound(
            passes.begin(), passes.end(), step.host.start,
            [](const model::Interval& each, std::int64_t time) { return each.start < time; });
        for (; pass != passes.end() && pass->start < step.host.end; ++pass) {
            const auto call = std::lower_bound(calls.begin(), calls.end(), pass->start);
            sending += call != calls.end() && *call < pass->end ? 1U : 0U;
        }
        found.sending = found.sending || sending > 0;
    }
    return found;
}

Reductions reductionsFromPasses(const Passes& passes, std::size_t least)
{
    const auto all = static_cast<double>(passes.ofStep.size());
    const auto repeating = std::count_if(passes.ofStep.begin(), passes.ofStep.end(),
                                         [least](std::size_t sending) { return sending >= least; });
    return {.times = static_cast<double>(model::median(passes.ofStep)),
            .part = all > 0 ? static_cast<double>(repeating) / all : 0.0,
            .known = true};
}

} // namespace ringside::rules
