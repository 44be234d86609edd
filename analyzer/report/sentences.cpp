// SPDX-License-Identifier: Apache-2.0
#include "report/sentences.h"

#include "report/flops.h"
#include "report/links.h"
#include "rules/shared/support.h"
#include "values/number_runs.h"

#include <algorithm>
#include <iterator>

namespace ringside::report {
namespace {

/// Returns the spread between ranks. A single rank has none.
std::string betweenRanks(const metrics::Spread& spread, std::size_t ranks, std::int64_t worldSize)
{
    if (ranks == 1) {
        return worldSize > 1 ? fmt::format("of one rank of {}", worldSize) : "of one rank";
    }
    const std::string all = static_cast<std::int64_t>(ranks) < worldSize
                                ? fmt::format(" of {} of {} ranks", ranks, worldSize)
                                : std::string();
    return fmt::format("by rank{} {} to {} (spread {}, coefficient of variation {})", all,
                       rules::percent(spread.min), rules::percent(spread.max), rules::points(spread.spread),
                       rules::percent(spread.cv));
}

std::string spreadText(const Report& report, const metrics::Spread& spread)
{
    return fmt::format("mean {}, {}, {}", rules::percent(spread.mean),
                       betweenRanks(spread, report.metrics.ranks.size(), report.model.worldSize),
                       spread.timeStddev
                           ? fmt::format("standard deviation over time {}", rules::points(*spread.timeStddev))
                           : "variation over time not measured: there is one window");
}

constexpr std::string_view kGuessed = "guessed from the period of collectives";

/// Returns the evidence for guessed steps, one clause each.
std::vector<std::string_view> witnessTexts(const model::StepWitnesses& witnesses)
{
    std::vector<std::string_view> texts;
    if (witnesses.optimizer) {
        texts.emplace_back("the optimizer runs once in it");
    }
    if (witnesses.pause) {
        texts.emplace_back("the longest pause is before it");
    }
    if (witnesses.otherCalls) {
        texts.emplace_back("it contains calls that shorter repetitions lack");
    }
    return texts;
}

/// Returns "guessed from the period of collectives (75 calls a step, medium confidence: ...)".
std::string periodText(const model::Model& model)
{
    const model::PeriodFound& period = *model.stepPeriod;
    const std::string calls = fmt::format("{} call{} a step", period.calls, period.calls == 1 ? "" : "s");
    if (!model.stepsGuessed()) {
        return fmt::format("cut by --steps-by ({})", calls);
    }
    const std::vector<std::string_view> witnesses = witnessTexts(period.witnesses);
    return fmt::format("{} ({}, {} confidence: {})", kGuessed, calls, stepConfidenceName(period.confidence),
                       witnesses.empty() ? std::string("no other evidence")
                                         : fmt::format("{}", fmt::join(witnesses, ", ")));
}

/// Returns how to get figures per step. A trace of another tool cannot be marked afterwards.
std::string howToMarkSteps(const model::Model& model)
{
    return model.imported ? "If one of its ranges is a step, use --steps-by NAME."
                          : "Mark steps with NVTX ranges (`ProfilerStep#N`, `iteration N`) or with "
                            "ringside_step_begin for figures of a step.";
}

/// Returns how many steps the figures rest on, and why others were left out.
std::string stepsLine(const model::Model& model)
{
    if (model.recordingIsStep()) {
        return fmt::format(
            "{}: figures cover the recording as a whole and are given per second, with low confidence.{}",
            model.stepsBy.nothing ? "Steps were not searched for (--steps-by none)" : "No step was found",
            model.stepsBy.nothing ? std::string() : " " + howToMarkSteps(model));
    }
    if (model.stepsBy.nothing) {
        return "Steps were not searched for (--steps-by none), so there are no figures per step.";
    }
    const model::StepCoverage& steps = model.stepCoverage;
    std::string text =
        fmt::format("{} step{} {}, device work recorded in {}, {} analyzed", steps.found,
                    steps.found == 1 ? "" : "s", model.stepPeriod ? periodText(model) : "found",
                    steps.found - steps.withoutDevice, model.analyzedSteps.size());
    if (!model.analyzedSteps.empty()) {
        const auto [first, last] = std::pair(model.analyzedSteps.front(), model.analyzedSteps.back());
        text += first == last ? fmt::format(" (step {})", first) : fmt::format(" ({} to {})", first, last);
    }
    std::vector<std::string> left;
    if (steps.withoutDevice > 0) {
        left.push_back(fmt::format("{} outside the window of the device tier", steps.withoutDevice));
    }
    if (steps.boundary > 0) {
        left.push_back(fmt::format("{} at the edges of the device tier's window, which may be incomplete",
                                   steps.boundary));
    }
    if (steps.warmUp > 0) {
        left.push_back(fmt::format("{} while the run warmed up", steps.warmUp));
    }
    if (steps.notEverywhere > 0) {
        left.push_back(fmt::format("{} not recorded on every rank", steps.notEverywhere));
    }
    text += left.empty() ? "." : fmt::format("; left out: {}.", fmt::join(left, ", "));
    return text + (model.analyzedWhole && !model.analyzedSteps.empty()
                       ? " There are too few steps to leave out the edges: low confidence."
                       : "");
}

std::int64_t longestRecording(const metrics::RunMetrics& run)
{
    std::int64_t longest = 0;
    for (const metrics::RankMetrics& rank : run.ranks) {
        longest = std::max(longest, rank.total.stepNs);
    }
    return longest;
}

std::string hostsText(const model::Model& model)
{
    const auto unknown = std::ranges::count(model.hosts, std::string(), &model::Host::name);
    if (unknown > 0) {
        const auto named = static_cast<std::ptrdiff_t>(model.hosts.size()) - unknown;
        return named == 0 ? std::string("hosts that the trace does not name")
                          : fmt::format("{} host{} and hosts that the trace does not name", named,
                                        named == 1 ? "" : "s");
    }
    return fmt::format("{} host{}", model.hosts.size(), model.hosts.size() == 1 ? "" : "s");
}

/// Returns the remark on ranks whose device times come from CUDA events, not from kernels.
std::string eventTimesLine(const Report& report)
{
    std::vector<std::int64_t> ranks;
    for (const model::Rank& rank : report.model.ranks) {
        if (rank.eventTimes) {
            ranks.push_back(rank.rank);
        }
    }
    return fmt::format(
        "Device times of ranks {} come from CUDA events before and after each NCCL call in its stream, so "
        "they include the time that the call waits in the stream's queue; compute, copies, overlap and idle "
        "time were not measured. Their communication is counted over {} steps of the host.",
        rankList(ranks), report.metrics.timed.steps.size());
}

} // namespace

std::string_view stepConfidenceName(model::StepConfidence confidence)
{
    constexpr std::string_view kNames[] = {"low", "medium", "high"};
    return kNames[static_cast<std::size_t>(confidence)];
}

std::string guessedRemark(const model::Model& model, std::string_view whose)
{
    if (model.recordingIsStep()) {
        return fmt::format("No step was found in the {}: its whole recording counts as one step, so only "
                           "shares can be compared, not times. Use --steps-by to define a step.",
                           whose);
    }
    return model.stepsGuessed() ? fmt::format("Steps of the {} are {}. Use --steps-by to define a step.",
                                              whose, periodText(model))
                                : std::string();
}

std::string overlapText(const metrics::Breakdown& part)
{
    return part.communicationNs > 0 ? fmt::format("{:.0f} %", 100.0 * static_cast<double>(part.overlapNs) /
                                                                  static_cast<double>(part.communicationNs))
                                    : "-";
}

std::string tierText(const Tier& tier)
{
    const bool none = tier.ranks.empty();
    const std::string reasons = fmt::format("{}", fmt::join(tier.reasons, "; "));
    if (none) {
        return reasons.empty() ? "not recorded" : fmt::format("not recorded: {}", reasons);
    }
    return fmt::format("{} {}{}{}", tier.ranks.size() == 1 ? "rank" : "ranks", rankList(tier.ranks),
                       reasons.empty() ? "" : ": ", reasons);
}

std::string confidenceText(const Report& report)
{
    const Verdict& verdict = report.verdict;
    return fmt::format("{} confidence{}", confidenceName(verdict.confidence),
                       verdict.reason.empty() ? "" : fmt::format(": {}", report.sentence(verdict.reason)));
}

std::string verdictText(const Report& report)
{
    const Verdict& verdict = report.verdict;
    if (verdict.confidence == Confidence::Inconclusive) {
        return "what limits it was not measured";
    }
    return fmt::format("{} ({})", rules::limitText(verdict.limitedBy), confidenceText(report));
}

std::vector<std::string> keyLines(const Report& report)
{
    const metrics::RunMetrics& run = report.metrics;
    std::vector<std::string> lines;
    if (report.model.recordingIsStep()) {
        lines.push_back(fmt::format("No step was found: figures are shares of the recording ({} on the rank "
                                    "with the longest recording) or given per second.",
                                    rules::milliseconds(longestRecording(run))));
    } else if (run.stepMedianNs && run.stepP99Ns) {
        lines.push_back(fmt::format(
            "Step{}: median {}, 99th percentile {}{}.",
            report.model.stepsGuessed() ? fmt::format(" ({})", kGuessed) : std::string(),
            rules::milliseconds(*run.stepMedianNs), rules::milliseconds(*run.stepP99Ns),
            run.ranks.empty()
                ? " (between starts of steps on the host)"
                : fmt::format(", {:.2f} steps a second",
                              1e9 / static_cast<double>(std::max<std::int64_t>(1, run.stepNs())))));
    }
    if (run.communicationShare && run.total().communicationNs == 0) {
        lines.emplace_back("Communication: the GPUs ran no kernel that is known to communicate.");
    } else if (run.communicationShare) {
        lines.push_back(fmt::format("Communication: {}{} of {}, {} of it overlaps with compute.",
                                    run.ratio ? fmt::format("{:.2f} x compute, ", *run.ratio) : "",
                                    rules::percent(*run.communicationShare),
                                    report.model.recordingIsStep() ? "the recorded time" : "the step",
                                    overlapText(run.total())));
    }
    if (report.model.workload == model::Workload::Inference) {
        lines.emplace_back("Inference: the trace has no backward pass and no optimizer, so rules about "
                           "gradients and training batches do not apply.");
    }
    if (run.utilization) {
        lines.push_back(fmt::format("GPU utilization: {}.", spreadText(report, *run.utilization)));
        lines.push_back(
            fmt::format("Useful, without waiting in collectives: {}.",
                        run.usefulUtilization ? spreadText(report, *run.usefulUtilization)
                        : report.metrics.arrivalsMeasured()
                            ? std::string("not judged, because the clocks of the ranks are less exact than "
                                          "their arrivals at collectives differ")
                            : std::string("not measured, because the arrivals of ranks are not known")));
    }
    for (auto line : {flopsLine(report), describedLine(report)}) {
        if (line) {
            lines.push_back(std::move(*line));
        }
    }
    if (run.communicationShare && report.model.hosts.size() > 1) {
        lines.push_back(linkSentence(report));
    }
    return lines;
}

std::vector<MissingRule> rulesNotJudged(const Report& report)
{
    std::vector<MissingRule> missing;
    std::ranges::copy_if(report.notApplicable, std::back_inserter(missing), [&](const MissingRule& each) {
        const rules::Rule* const rule = rules::findRule(each.rule);
        return !report.model.imported || rule == nullptr ||
               std::ranges::none_of(report.tiers, [&needed = rule->needs.tiers](const Tier& tier) {
                   return tier.ranks.empty() && std::ranges::find(needed, tier.name) != needed.end();
               });
    });
    return missing;
}

std::vector<std::string> notApplicableLines(const Report& report)
{
    std::vector<std::pair<std::string, std::vector<std::string>>> byReason;
    for (const MissingRule& rule : rulesNotJudged(report)) {
        const std::string reason = report.sentence(rule.reason);
        auto entry = std::find_if(byReason.begin(), byReason.end(),
                                  [&](const auto& each) { return each.first == reason; });
        entry = entry != byReason.end() ? entry : byReason.insert(entry, {reason, {}});
        entry->second.push_back(rule.rule);
    }
    std::vector<std::string> lines;
    for (const auto& [reason, rules] : byReason) {
        lines.push_back(fmt::format("{}: {}.", fmt::join(rules, ", "), reason));
    }
    return lines;
}

std::string figureText(const rules::Figure& figure, words::Period period)
{
    const std::string text =
        fmt::format("{} {}", rules::labelOf(figure, period), values::valueText(figure.unit, figure.value));
    return figure.threshold
               ? fmt::format("{} (threshold {})", text, values::valueText(figure.unit, *figure.threshold))
               : text;
}

document::Place placeOf(const Report& report, const rules::Evidence& evidence)
{
    return {evidence.rank, evidence.startNs, evidence.endNs,
            fmt::format(
                "rank {} at {:.6f} s for {}: {}", evidence.rank, static_cast<double>(evidence.startNs) / 1e9,
                rules::milliseconds(evidence.endNs - evidence.startNs), report.sentence(evidence.what))};
}

std::optional<document::Place> placeOf(const Report& report, const rules::Finding& finding)
{
    return finding.evidence.empty() ? std::nullopt : std::optional(placeOf(report, finding.evidence.front()));
}

std::vector<std::string> coverageLines(const Report& report)
{
    constexpr double kNearlyAll = 0.995;
    const model::Model& model = report.model;
    std::vector<std::string> lines;
    lines.push_back(
        fmt::format("{} of {} ranks on {}.", model.ranks.size(), model.worldSize, hostsText(model)));
    lines.push_back(stepsLine(model));
    std::ranges::move(allStepsLines(report.allSteps, model.analyzedSteps.size()), std::back_inserter(lines));
    if (report.stretches > 1) {
        lines.push_back(fmt::format("Read in {} stretches of steps, because all rows together do not fit "
                                    "into the memory of --memory. "
                                    "Figures are of the whole run. Findings were judged in each stretch; "
                                    "their costs are means over all.",
                                    report.stretches));
    }
    lines.push_back(fmt::format("{} records dropped, {} recovered from rings of ended processes.",
                                report.droppedRecords, report.recoveredRecords));
    if (model.hasEventTimes()) {
        lines.push_back(eventTimesLine(report));
    }
    if (!model.communicationKernels.empty()) {
        lines.push_back(fmt::format(
            "As set by the user, kernels whose names contain these words count as communication: {}.",
            fmt::join(model.communicationKernels, ", ")));
    }
    if (model.graphLaunches > 0) {
        lines.push_back(fmt::format(
            "CUDA graphs were launched {} times; each launch counts as the calls that its graph contains.",
            model.graphLaunches));
    }
    const auto residual = model.clockResidualNs();
    const auto bound = model.clockBoundNs();
    lines.push_back(
        residual
            ? fmt::format("Clocks: the ends of matched collectives differ by at most {:.1f} us (95 %); {}.",
                          static_cast<double>(*residual) / 1e3,
                          model.hosts.size() <= 1 ? "one host, one clock"
                          : bound ? fmt::format("alignment error at most {}", rules::milliseconds(*bound))
                                  : std::string("some hosts could not be aligned"))
            : std::string("Clocks: not measured, because no collective was matched."));
    if (const auto share = report.metrics.arrivalShare();
        report.metrics.arrivalsMeasured() && share && *share < kNearlyAll) {
        lines.push_back(fmt::format("Arrivals of ranks are known for {} of the time in communication; "
                                    "waiting in the rest counts as transfer.",
                                    rules::percent(*share)));
    }
    if (model.emulated) {
        lines.emplace_back(
            "EMULATED: this run used the CPU platform; times follow its device model, not a GPU.");
    }
    return lines;
}

std::string whoText(const rules::Finding& finding)
{
    return finding.ranks.empty() ? std::string("all ranks")
                                 : (finding.ranks.size() == 1 ? "rank " : "ranks ") + rankList(finding.ranks);
}

std::string rankList(const std::vector<std::int64_t>& ranks)
{
    if (ranks.empty()) {
        return "all";
    }
    std::string text;
    const std::vector<values::NumberRun> runs = values::numberRuns(ranks, 2);
    for (std::size_t i = 0; i < std::min(runs.size(), values::kMostRuns); ++i) {
        const values::NumberRun& run = runs[i];
        text += text.empty() ? "" : ", ";
        text += run.count == 1  ? std::to_string(run.first)
                : run.step == 1 ? fmt::format("{}-{}", run.first, run.last)
                                : fmt::format("{}-{} in steps of {}", run.first, run.last, run.step);
    }
    const std::size_t more = values::numbersLeftOut(runs);
    return more > 0 ? text + fmt::format(" and {} more", more) : text;
}

std::string costText(const rules::Finding& finding)
{
    if (!finding.costNsPerStep) {
        return "not estimated";
    }
    return rules::milliseconds(*finding.costNsPerStep) + (finding.perSecond ? " a second" : " a step") +
           (finding.partOf.empty() ? "" : fmt::format(", part of {}", finding.partOf.front()));
}

} // namespace ringside::report
