// SPDX-License-Identifier: Apache-2.0
// How many times a step reduces all gradients: seen from the backward passes that send, else from sizes that
// repeat.
#pragma once
#include "rules/gradients.h"

#include <cctype>

namespace ringside::rules {

[[nodiscard]] inline bool isBackward(std::string_view name)
{
    std::string lower(name);
    std::transform(lower.begin(), lower.end(), lower.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return lower == "backward" || lower.rfind("backward ", 0) == 0 || lower.rfind("backward:", 0) == 0;
}

/// Host ranges around backward, in order of their starts.
[[nodiscard]] inline std::vector<model::Interval> backwardPasses(const trace::ProcessTrace& process)
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

/// When the host of a rank called its gradient reductions, in order.
[[nodiscard]] inline std::vector<std::int64_t> gradientCalls(const Context& context,
                                                             const metrics::RankMetrics& metrics)
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

/// What the passes of a rank's steps say.
struct Passes {
    bool sending = false;            ///< any holds a call: they tell
    std::vector<std::size_t> ofStep; ///< passes that send, of each analyzed step
};

[[nodiscard]] inline Passes lookAtPasses(const Context& context, const metrics::RankMetrics& metrics)
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

/// How often a step's gradients are reduced: once, or after each of several backward passes.
struct Reductions {
    double times = 0;   ///< a step, where it is more than once
    double part = 0;    ///< of the steps, or without passes of the messages, in which it is so
    bool known = false; ///< sizes differ, or ranges tell the passes
};

[[nodiscard]] inline Reductions reductionsFromPasses(const Passes& passes, std::size_t least)
{
    const auto all = static_cast<double>(passes.ofStep.size());
    const auto repeating = std::count_if(passes.ofStep.begin(), passes.ofStep.end(),
                                         [least](std::size_t sending) { return sending >= least; });
    return {.times = static_cast<double>(model::median(passes.ofStep)),
            .part = all > 0 ? static_cast<double>(repeating) / all : 0.0,
            .known = true};
}

/// Whether each size comes so often in a step, or a multiple of it. In a model of equal blocks some do not:
/// the first bucket, the last, what is in no block. What few steps have does not count.
[[nodiscard]] inline bool comesEvenly(const std::vector<std::uint64_t>& bytes, std::size_t steps,
                                      std::size_t times)
{
    std::map<std::uint64_t, std::size_t> counts;
    for (const std::uint64_t each : bytes) {
        ++counts[each];
    }
    return std::all_of(counts.begin(), counts.end(), [=](const auto& size) {
        return static_cast<std::size_t>(
                   std::llround(static_cast<double>(size.second) / static_cast<double>(steps))) %
                   times ==
               0;
    });
}

/// Without passes: whether the sizes of a step's messages are one pattern several times. Looks at all steps
/// in a row, since a step's last message may start on the device when the next step has begun there.
[[nodiscard]] inline Reductions reductionsFromSizes(const Context& context, const metrics::RankMetrics& rank,
                                                    std::size_t least, double mostSteps)
{
    std::vector<std::uint64_t> bytes;
    for (const StepMessages& step : gradientsByStep(context, rank)) {
        for (const metrics::OperationExposure* message : step) {
            bytes.push_back(*context.run.operations[message->operation].bytes);
        }
    }
    const auto ofStep = static_cast<std::size_t>(
        std::llround(static_cast<double>(bytes.size()) / static_cast<double>(rank.steps.size())));
    if (std::adjacent_find(bytes.begin(), bytes.end(), std::not_equal_to<>()) == bytes.end()) {
        return {.known = ofStep <= 1}; // of equal size: nobody can tell
    }
    for (std::size_t times = ofStep / 2; times >= least; --times) {
        if (ofStep % times != 0 || !comesEvenly(bytes, rank.steps.size(), times)) {
            continue; // few numbers divide: a look at all messages for each is affordable
        }
        const std::size_t period = ofStep / times;
        double same = 0;
        for (std::size_t i = period; i < bytes.size(); ++i) {
            same += bytes[i] == bytes[i - period] ? 1 : 0;
        }
        const double part = same / static_cast<double>(bytes.size() - period);
        if (part >= mostSteps) {
            return {.times = static_cast<double>(times), .part = part, .known = true};
        }
    }
    return {.known = true};
}

constexpr double kMostSteps = 0.9;

/// `least`: fewer repetitions are none, 2 or more; `mostSteps`: the part of the messages that must repeat.
[[nodiscard]] inline Reductions reductionsOf(const Context& context, const metrics::RankMetrics& rank,
                                             std::size_t least = 2, double mostSteps = kMostSteps)
{
    const Passes passes = lookAtPasses(context, rank);
    return passes.sending ? reductionsFromPasses(passes, least)
                          : reductionsFromSizes(context, rank, least, mostSteps);
}

} // namespace ringside::rules
