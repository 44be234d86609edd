// SPDX-License-Identifier: Apache-2.0
// Finds gradients that are accumulated over several backward passes but reduced after each of them: all
// reductions of a step but the last are unnecessary.
#include "words/sync_every_micro_step.h"

#include "rules/shared/reductions.h"
#include "whatif/changes.h"

namespace ringside::rules::rule_sync_every_micro_step {
namespace {

namespace text = words::sync_every_micro_step;

constexpr Option kOptions[] = {
    {"repeats", 2, "fewest repetitions of the same gradient messages per step"},
    {"step_part", 0.9, "least share of the steps in which they repeat"},
};

/// Returns true if each message size occurs `times` times in a step, or a multiple of it. Counts are rounded
/// per step, so that sizes that only few steps have do not count.
bool comesEvenly(const std::vector<std::uint64_t>& bytes, std::size_t steps, std::size_t times)
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

/// Used without ranges of backward passes: finds out whether the sizes of a step's messages are one pattern
/// repeated. It compares all steps in a row, because a step's last message may start on the device when the
/// next step has begun there.
Reductions reductionsFromSizes(const Context& context, const metrics::RankMetrics& rank, std::size_t least,
                               double mostSteps)
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
        return {.known = ofStep <= 1}; // with equal sizes it cannot be determined
    }
    for (std::size_t times = ofStep / 2; times >= least; --times) {
        if (ofStep % times != 0 || !comesEvenly(bytes, rank.steps.size(), times)) {
            continue; // few numbers divide ofStep, so the passes over all messages are affordable
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

/// `least` is the fewest repetitions that count, 2 or more. `mostSteps` is the least share of the messages
/// that must repeat.
Reductions reductionsOf(const Context& context, const metrics::RankMetrics& rank, std::size_t least,
                        double mostSteps)
{
    const Passes passes = findPasses(context, rank);
    return passes.sending ? reductionsFromPasses(passes, least)
                          : reductionsFromSizes(context, rank, least, mostSteps);
}

Outcome run(const Context& context)
{
    if (messagesPerStep(context) == 0) {
        return kNeedsGradients;
    }
    const metrics::RankMetrics& rank = context.figures.ranks.front(); // all ranks make the same calls
    const auto least = static_cast<std::size_t>(std::max(2.0, context.option("repeats")));
    const Reductions seen = reductionsOf(context, rank, least, context.option("step_part"));
    if (!seen.known) {
        return NotApplicable{text::no_ranges};
    }
    if (seen.part < context.option("step_part") || seen.times < 2) {
        return std::vector<Finding>{};
    }
    Finding finding;
    finding.costNsPerStep =
        std::llround(static_cast<double>(exposedGradientTransfer(context)) * (seen.times - 1) / seen.times);
    finding.severity = severityByCost(context, *finding.costNsPerStep);
    finding.limit = Limit::Communication;
    finding.title = say(text::title, {{"times", seen.times}});
    finding.settings = {"no_sync"};
    finding.figures = {{"reductions", Unit::Count, seen.times, context.option("repeats"), PerPeriod::Yes},
                       {"step_part", Unit::Share, seen.part, context.option("step_part")}};
    finding.evidence = {evidence(context.rankOf(rank), rank.windows.front(), text::repeats)};
    finding.advice = text::remedy;
    return std::vector<Finding>{finding};
}

/// Replays the run with only the last reduction of each step.
std::vector<whatif::Changes> cures(const Context& /*context*/, const Finding& finding)
{
    constexpr double kMost = 4096;
    const double times = std::clamp(figureOf(finding, "reductions"), 1.0, kMost);
    return times > 1 ? std::vector<whatif::Changes>{{.lastReductionOf = static_cast<unsigned>(times)}}
                     : std::vector<whatif::Changes>{};
}

} // namespace

RINGSIDE_RULE(sync_every_micro_step, .title = text::heading, .needs = {{"device"}, "; nvtx helps"},
              .options = kOptions, .run = run, .needsDevice = true, .help = text::help, .ofSteps = true,
              .ofTraining = true, .partOf = {"exposed_communication"}, .cures = cures);

} // namespace ringside::rules::rule_sync_every_micro_step
