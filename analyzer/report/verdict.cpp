// SPDX-License-Identifier: Apache-2.0
// The paragraph at the top: what limits this run, what it costs, what to try first. Says so when it cannot
// tell.
#include "report/report.h"
#include "rules/shared/support.h"

namespace ringside::report {
namespace {

struct Doubt {
    Confidence confidence;
    std::string reason;
};

bool hasIssue(const Report& report, trace::Issue issue)
{
    return std::ranges::any_of(report.issues, [issue](const trace::IssueRow& row) { return row.is(issue); });
}

const MissingRule* inconclusiveRule(const Report& report)
{
    const auto found = std::find_if(report.notApplicable.begin(), report.notApplicable.end(),
                                    [](const MissingRule& rule) { return rule.inconclusive; });
    return found == report.notApplicable.end() ? nullptr : &*found;
}

/// Everything that weakens the verdict of a run with device data, the worst first.
std::vector<Doubt> doubtsOf(const Report& report)
{
    constexpr std::size_t kManySteps = 10;
    const auto measured = static_cast<std::int64_t>(report.metrics.ranks.size());
    const std::int64_t world = report.model.worldSize;
    std::vector<Doubt> doubts;
    if (report.model.recordingIsStep()) {
        doubts.push_back({Confidence::Low, "no step was found, so that start-up and end may count too"});
    } else if (report.model.analyzedWhole) {
        doubts.push_back(
            {Confidence::Low, "so few steps were recorded that the first and the last count too"});
    }
    if (report.model.stepsGuessed() && report.model.stepPeriod->confidence == model::StepConfidence::Low) {
        doubts.push_back({Confidence::Low,
                          "steps are guessed, and nothing but the repetition of calls speaks "
                          "for them: --steps-by says what a step is"});
    }
    if (2 * measured < world) {
        doubts.push_back(
            {Confidence::Low, fmt::format("device work was recorded on {} of {} ranks", measured, world)});
    } else if (measured < world) {
        doubts.push_back(
            {Confidence::Medium, fmt::format("device work was recorded on {} of {} ranks", measured, world)});
    }
    if (const MissingRule* const rule = inconclusiveRule(report)) {
        doubts.push_back({Confidence::Low, fmt::format("{} is {}", rule->rule, rule->reason)});
    }
    if (hasIssue(report, trace::Issue::StepsFromHostClock)) {
        doubts.push_back({Confidence::Low, "steps are cut at the host's times, not at the device's"});
    }
    if (!report.model.analyzedWhole && report.metrics.stepCount() < kManySteps) {
        doubts.push_back(
            {Confidence::Medium,
             fmt::format("only {} step{} analyzed, {} or more are steady", report.metrics.stepCount(),
                         report.metrics.stepCount() == 1 ? " was" : "s were", kManySteps)});
    }
    if (report.droppedRecords > 0) {
        doubts.push_back({Confidence::Medium, fmt::format("{} records were dropped", report.droppedRecords)});
    }
    std::stable_sort(doubts.begin(), doubts.end(),
                     [](const Doubt& a, const Doubt& b) { return a.confidence > b.confidence; });
    return doubts;
}

/// The costliest finding of its kind: findings come sorted. Information alone limits nothing.
const rules::Finding* costliest(const Report& report, bool cause)
{
    for (const rules::Finding& finding : report.findings) {
        if (finding.cause == cause && finding.severity != rules::Severity::Info) {
            return &finding;
        }
    }
    return nullptr;
}

/// A cause goes before the symptoms it explains, unless it explains only a small part of them.
const rules::Finding* worst(const Report& report)
{
    constexpr std::int64_t kSmallPart = 4;
    const rules::Finding* const cause = costliest(report, true);
    const rules::Finding* const symptom = costliest(report, false);
    if (cause == nullptr || symptom == nullptr) {
        return cause != nullptr ? cause : symptom;
    }
    return symptom->costNsPerStep.value_or(0) > kSmallPart * cause->costNsPerStep.value_or(0) ? symptom
                                                                                              : cause;
}

std::string costText(const Report& report, const rules::Finding& finding)
{
    if (!finding.costNsPerStep || *finding.costNsPerStep <= 0) {
        return {};
    }
    const std::int64_t step = std::max<std::int64_t>(1, report.metrics.stepNs());
    return fmt::format(
        " It costs about {} of {} ({}).", rules::milliseconds(*finding.costNsPerStep),
        report.model.recordingIsStep() ? std::string("each second")
                                       : fmt::format("a mean step of {}", rules::milliseconds(step)),
        rules::percent(static_cast<double>(*finding.costNsPerStep) / static_cast<double>(step)));
}

std::string whereTimeGoes(const Report& report)
{
    const metrics::Breakdown total = report.metrics.total();
    return fmt::format(
        "compute fills {} of the {}, exposed communication {}, exposed copies {}, idle time {}",
        rules::percent(total.share(total.computeNs)),
        report.model.recordingIsStep() ? "recorded time" : "step",
        rules::percent(total.share(total.exposedCommunicationNs)),
        rules::percent(total.share(total.exposedCopyNs)), rules::percent(total.share(total.idleNs)));
}

/// The costliest cause that is not the same loss seen from another side.
const rules::Finding* nextCause(const Report& report, const rules::Finding& first)
{
    const auto holds = [](const rules::Finding& whole, const rules::Finding& part) {
        return std::find(part.partOf.begin(), part.partOf.end(), whole.rule) != part.partOf.end();
    };
    for (const rules::Finding& finding : report.findings) {
        if (finding.cause && finding.severity != rules::Severity::Info && &finding != &first &&
            !holds(first, finding) && !holds(finding, first)) {
            return &finding;
        }
    }
    return nullptr;
}

/// What a finding says, costs and advises, and which cause comes next.
std::string advise(const Report& report, const rules::Finding& first)
{
    std::string text = fmt::format("{}.{} Try first: {}", first.title, costText(report, first), first.advice);
    if (const rules::Finding* const next = nextCause(report, first)) {
        text += fmt::format(" Next: {}.{}", next->title, costText(report, *next));
    }
    return text;
}

std::string_view unmeasured(const Report& report)
{
    if (report.model.ranks.empty()) {
        return "No rank left a trace in this run, so nothing can be said about it. Was the job started with "
               "the collector "
               "preloaded, and did it call NCCL or CUDA?";
    }
    if (!report.model.hasDeviceData() && report.model.imported) {
        return "The trace holds no device work, so what limits this run was not measured. Was the profiler "
               "told "
               "to record the GPU (ProfilerActivity.CUDA, nsys --trace=cuda)?";
    }
    if (!report.model.hasDeviceData()) {
        return "No device work was recorded, so what limits this run was not measured. Record with "
               "`--profile standard`; the "
               "coverage below says why the device tier was not active.";
    }
    if (report.model.stepCoverage.notEverywhere > 0) {
        return "No step was recorded on every rank that has device data, so what limits this run was not "
               "measured. Did a rank end early or start late? Record all ranks over the same steps.";
    }
    if (report.model.imported) {
        return "No whole step with device work was found, so what limits this run was not measured. If one "
               "of "
               "the trace's ranges is a step, --steps-by range=NAME says so; --steps-by none takes the "
               "recording "
               "as a whole.";
    }
    return "No whole step with device work was found, so what limits this run was not measured. Mark steps "
           "with NVTX ranges "
           "(`ProfilerStep#N`, `iteration N`) or with ringside_step_begin, and record more of them.";
}

/// A finding that names its own doubt is not sure, however well the run was recorded.
void weaken(Verdict& verdict, const rules::Finding& first)
{
    if (verdict.confidence == Confidence::High && !first.doubt.empty()) {
        verdict.confidence = Confidence::Medium;
        verdict.reason = first.doubt;
    }
}

/// Of a run in which CUDA events timed NCCL's calls, and nothing else of the devices is known.
Verdict judgeTimedCalls(const Report& report)
{
    Verdict verdict;
    verdict.reason = "only NCCL's calls were timed, by CUDA events";
    const rules::Finding* const first = worst(report);
    if (first == nullptr) {
        verdict.confidence = Confidence::Inconclusive;
        verdict.summary =
            "Nothing in the times of NCCL's calls limits this run; compute and idle time were not "
            "measured, since CUDA events time these calls alone. The coverage below says why the "
            "device tier was not active.";
    } else {
        verdict.confidence = Confidence::Low;
        verdict.limitedBy = first->limit;
        verdict.rule = first->rule;
        verdict.summary = advise(report, *first);
    }
    return verdict;
}

} // namespace

Verdict judge(const Report& report)
{
    Verdict verdict;
    if (!report.findings.empty() && report.findings.front().broken) {
        const rules::Finding& first = report.findings.front();
        verdict.limitedBy = first.limit;
        verdict.rule = first.rule;
        const std::string_view state = first.limit == rules::Limit::Death
                                           ? "This run did not end as it should, whatever its steps cost"
                                           : "This run does not work as it should, whatever it costs";
        verdict.summary = fmt::format("{}. {}. Try first: {}", state, first.title, first.advice);
        return verdict;
    }
    if (!report.metrics.timed.arrived.empty()) {
        return judgeTimedCalls(report);
    }
    if (report.metrics.ranks.empty()) {
        verdict.confidence = Confidence::Inconclusive;
        verdict.summary = unmeasured(report);
        verdict.reason = "the device's time was not measured";
        return verdict;
    }
    if (const std::vector<Doubt> doubts = doubtsOf(report); !doubts.empty()) {
        verdict.confidence = doubts.front().confidence;
        verdict.reason = doubts.front().reason;
    }
    const metrics::Breakdown total = report.metrics.total();
    const bool computes = 2 * total.computeNs > total.stepNs;
    const rules::Finding* const first = worst(report);
    if (first == nullptr) {
        verdict.limitedBy = computes ? rules::Limit::Compute : rules::Limit::Nothing;
        verdict.summary = fmt::format("Nothing measured here limits this run: {}.", whereTimeGoes(report));
    } else {
        // What is only worth warnings does not limit a run that computes most of the time.
        const bool small =
            computes && std::none_of(report.findings.begin(), report.findings.end(), [](const auto& finding) {
                return finding.severity == rules::Severity::Problem;
            });
        verdict.limitedBy = small ? rules::Limit::Compute : first->limit;
        verdict.rule = first->rule;
        weaken(verdict, *first);
        verdict.summary =
            (small ? fmt::format("Mostly computing: {}. Most to gain elsewhere: ", whereTimeGoes(report))
                   : std::string()) +
            advise(report, *first);
    }
    if (report.model.emulated) {
        verdict.summary +=
            " This run was emulated on the CPU platform: its times are the device model's, not a GPU's.";
    }
    return verdict;
}

} // namespace ringside::report
