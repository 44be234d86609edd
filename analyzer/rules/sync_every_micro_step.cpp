// SPDX-License-Identifier: Apache-2.0
// Gradients are accumulated over several backward passes, but reduced after each of them: all but the last
// reduction of a step are for nothing.
#include "rules/reductions.h"

namespace ringside::rules {
namespace {

constexpr Option kOptions[] = {
    {"repeats", 2, "the same gradient messages at least so many times a step"},
    {"step_part", kMostSteps, "in at least this part of the steps"},
};

Outcome run(const Context& context)
{
    if (context.figures.ranks.empty()) {
        return kNeedsDevice;
    }
    if (messagesPerStep(context) == 0) {
        return kNeedsGradients;
    }
    const metrics::RankMetrics& rank = context.figures.ranks.front(); // all call the same
    const auto least = static_cast<std::size_t>(std::max(2.0, context.option("repeats")));
    const Reductions seen = reductionsOf(context, rank, least, context.option("step_part"));
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
