// SPDX-License-Identifier: Apache-2.0
// Gradients are accumulated over several backward passes, but reduced after each of them: all but the last
// reduction of a step are for nothing. Seen from the passes that send, else from sizes that repeat.
#include "rules/gradients.h"

#include <cctype>

namespace ringside::rules {
namespace {

constexpr Option kOptions[] = {
    {"repeats", 2, "the same gradient messages at least so many times a step"},
    {"step_part", 0.90, "in at least this part of the steps"},
};

bool isBackward(std::string_view name)
{
    std::string lower(name);
    std::transform(lower.begin(), lower.end(), lower.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return lower == "backward" || lower.rfind("backward ", 0) == 0 || lower.rfind("backward:", 0) == 0;
}

/// Host ranges around backward, in order of their starts.
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

/// When the host of a rank called its gradient reductions, in order.
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

/// What the passes of a rank's steps say.
struct Passes {
    bool sending = false;            ///< any holds a call: they tell
    std::vector<std::size_t> ofStep; ///< passes that send, of each analyzed step
};

Passes lookAtPasses(const Context& context, const metrics::RankMetrics& metrics)
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

struct Seen {
    double times = 0;   ///< that a step's gradients are reduced
    double part = 0;    ///< of the steps, or without passes of the messages
    bool known = false; ///< sizes differ, or ranges tell the passes
};

Seen fromPasses(const Passes& passes, std::size_t least)
{
    const auto all = static_cast<double>(passes.ofStep.size());
    const auto repeating = std::count_if(passes.ofStep.begin(), passes.ofStep.end(),
                                         [least](std::size_t sending) { return sending >= least; });
    return {.times = static_cast<double>(model::median(passes.ofStep)),
            .part = all > 0 ? static_cast<double>(repeating) / all : 0.0,
            .known = true};
}

/// Without passes: whether the sizes of a step's messages are one pattern several times. Looks at all steps
/// in a row, since a step's last message may start on the device when the next step has begun there.
Seen fromSizes(const Context& context, const metrics::RankMetrics& rank, std::size_t least)
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
        if (ofStep % times != 0) {
            continue; // few numbers divide: a look at all messages for each is affordable
        }
        const std::size_t period = ofStep / times;
        double same = 0;
        for (std::size_t i = period; i < bytes.size(); ++i) {
            same += bytes[i] == bytes[i - period] ? 1 : 0;
        }
        const double part = same / static_cast<double>(bytes.size() - period);
        if (part >= context.option("step_part")) {
            return {.times = static_cast<double>(times), .part = part, .known = true};
        }
    }
    return {.known = true};
}

Seen look(const Context& context, const metrics::RankMetrics& rank)
{
    const auto least = static_cast<std::size_t>(std::max(2.0, context.option("repeats")));
    const Passes passes = lookAtPasses(context, rank);
    return passes.sending ? fromPasses(passes, least) : fromSizes(context, rank, least);
}

Outcome run(const Context& context)
{
    if (context.figures.ranks.empty()) {
        return kNeedsDevice;
    }
    if (messagesPerStep(context) == 0) {
        return kNeedsGradients;
    }
    const metrics::RankMetrics& rank = context.figures.ranks.front(); // all call the same
    const Seen seen = look(context, rank);
    if (!seen.known) {
        return NotApplicable{
            "needs NVTX ranges named \"backward\": gradient messages of one size do not tell "
            "how many backward passes a step has"};
    }
    if (seen.part < context.option("step_part") || seen.times < 2) {
        return std::vector<Finding>{};
    }
    Finding finding;
    finding.costNsPerStep =
        std::llround(static_cast<double>(exposedGradientTransfer(context)) * (seen.times - 1) / seen.times);
    finding.severity = severityByCost(context, *finding.costNsPerStep);
    finding.limit = Limit::Communication;
    finding.partOf = {"exposed_communication"};
    finding.title = fmt::format("All gradients are reduced {:.0f} times a step: after every micro-batch "
                                "instead of after the last",
                                seen.times);
    finding.settings = {"no_sync"};
    finding.figures = {{"reductions_per_step", Unit::Count, seen.times, context.option("repeats")},
                       {"step_part", Unit::Share, seen.part, context.option("step_part")}};
    finding.evidence = {
        evidence(context.rankOf(rank), rank.windows.front(), "a step whose gradient messages repeat")};
    finding.advice = "Run all micro-batches but the last of each optimizer step inside "
                     "`with ddp_model.no_sync():` (FSDP: `set_requires_gradient_sync(False)`); accumulation "
                     "over 4 to 8 is what the field uses.";
    return std::vector<Finding>{finding};
}

} // namespace
} // namespace ringside::rules

RINGSIDE_RULE(
    sync_every_micro_step, .title = "Gradients are reduced after every micro-batch",
    .needs = "device; nvtx helps", .options = ringside::rules::kOptions, .run = ringside::rules::run,
    .help = "Several ranges named backward in a step send gradients; without such ranges, the sizes "
            "of a step's messages are one sequence several times. The cost is the exposed "
            "transfer of all but one.");
