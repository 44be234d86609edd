// SPDX-License-Identifier: Apache-2.0
// Gradients are accumulated over several backward passes, but reduced after each of them: all but the last
// reduction of a step are for nothing. Seen from repeating messages within a step.
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

/// Outermost ranges around backward that begin in each analyzed step of the rank; a step's median, 0: none.
std::size_t backwardPasses(const Context& context, const metrics::RankMetrics& metrics)
{
    const model::Rank& rank = context.rankOf(metrics);
    const trace::ProcessTrace& process = context.run.processOf(rank);
    std::vector<std::int64_t> starts;
    for (const trace::RangeRow& range : process.ranges) {
        if (isBackward(process.text(range.name))) {
            starts.push_back(range.startNs);
        }
    }
    std::vector<std::size_t> counts;
    for (const model::Step& step : rank.steps) {
        const auto first = std::lower_bound(starts.begin(), starts.end(), step.host.start);
        const auto last = std::lower_bound(first, starts.end(), step.host.end);
        counts.push_back(static_cast<std::size_t>(last - first));
    }
    return starts.empty() ? 0 : model::median(std::move(counts));
}

/// Whether the sizes are one pattern, `repeats` times.
bool repeats(const Context& context, const StepMessages& messages, std::size_t times)
{
    const std::size_t period = times > 0 ? messages.size() / times : 0;
    if (period == 0 || messages.size() % times != 0) {
        return false;
    }
    const auto bytes = [&](std::size_t i) { return context.run.operations[messages[i]->operation].bytes; };
    for (std::size_t i = period; i < messages.size(); ++i) {
        if (bytes(i) != bytes(i - period)) {
            return false;
        }
    }
    return true;
}

bool allEqual(const Context& context, const StepMessages& messages)
{
    return repeats(context, messages, messages.size());
}

/// How often a step's messages repeat: as often as there are backward passes, or, without ranges, as often as
/// a pattern of different sizes does. Equal sizes alone say nothing. 1: they do not.
std::size_t repetitions(const Context& context, const StepMessages& messages, std::size_t passes)
{
    if (passes > 0) {
        return repeats(context, messages, passes) ? passes : 1;
    }
    for (std::size_t times = messages.size() / 2; times > 1 && !allEqual(context, messages); --times) {
        if (repeats(context, messages, times)) {
            return times;
        }
    }
    return 1;
}

struct Seen {
    std::size_t times = 0; ///< the fewest of the steps that repeat
    double part = 0;       ///< of the steps
    const metrics::OperationExposure* first = nullptr;
    bool known = false; ///< sizes differ, or ranges tell the passes
};

Seen look(const Context& context, const metrics::RankMetrics& rank)
{
    Seen seen;
    const std::size_t passes = backwardPasses(context, rank);
    const auto least = static_cast<std::size_t>(std::max(2.0, context.option("repeats")));
    double repeating = 0;
    for (const StepMessages& step : gradientsByStep(context, rank)) {
        seen.known = seen.known || passes > 0 || step.size() == 1 || !allEqual(context, step);
        const std::size_t times = repetitions(context, step, passes);
        if (!step.empty() && times >= least) {
            repeating += 1;
            seen.times = seen.times == 0 ? times : std::min(seen.times, times);
            seen.first = step.front();
        }
    }
    seen.part = repeating / static_cast<double>(rank.steps.size());
    return seen;
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
    if (seen.part < context.option("step_part") || seen.first == nullptr) {
        return std::vector<Finding>{};
    }
    const auto times = static_cast<double>(seen.times);
    Finding finding;
    finding.costNsPerStep =
        std::llround(static_cast<double>(exposedGradientTransfer(context)) * (times - 1) / times);
    finding.severity = severityByCost(context, *finding.costNsPerStep);
    finding.limit = Limit::Communication;
    finding.partOf = {"exposed_communication"};
    finding.title = fmt::format("All gradients are reduced {} times a step: after every micro-batch instead "
                                "of after the last",
                                seen.times);
    finding.settings = {"no_sync"};
    finding.figures = {{"reductions_per_step", Unit::Count, times, context.option("repeats")},
                       {"step_part", Unit::Share, seen.part, context.option("step_part")}};
    finding.evidence = {evidence(context.rankOf(rank), rank.windows[seen.first->step],
                                 "a step whose gradient messages repeat")};
    finding.advice = "Run all micro-batches but the last of each optimizer step inside "
                     "`with ddp_model.no_sync():` (FSDP: `set_requires_gradient_sync(False)`); accumulation "
                     "over 4 to 8 is what the field uses.";
    return std::vector<Finding>{finding};
}

} // namespace
} // namespace ringside::rules

RINGSIDE_RULE(sync_every_micro_step, .title = "Gradients are reduced after every micro-batch",
              .needs = "device; nvtx helps", .options = ringside::rules::kOptions,
              .run = ringside::rules::run,
              .help = "A step's gradient messages are one sequence of sizes, several times: as often as "
                      "there are ranges named backward, or by the sizes alone where they differ. The cost is "
                      "the exposed transfer of all but one.");
