// SPDX-License-Identifier: Apache-2.0
// Writes the paragraph at the top of a report: what limits the run, what it costs, and what to try first. It
// says so if this is not known.
#include "report/report.h"
#include "report/sentences.h"
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

/// Returns all reasons that weaken the verdict of a run with device data, the worst first.
std::vector<Doubt> doubtsOf(const Report& report)
{
    constexpr std::size_t kManySteps = 10;
    const auto measured = static_cast<std::int64_t>(report.metrics.ranks.size());
    const std::int64_t world = report.model.worldSize;
    std::vector<Doubt> doubts;
    if (report.model.recordingIsStep()) {
        doubts.push_back({Confidence::Low, "no step was found, so the figures may include start-up and end"});
    } else if (report.model.analyzedWhole) {
        doubts.push_back(
            {Confidence::Low, "few steps were recorded, so the figures include the first and the last one"});
    }
    if (report.model.stepsGuessed() && report.model.stepPeriod->confidence == model::StepConfidence::Low) {
        doubts.push_back({Confidence::Low, "steps are guessed, and only the repetition of calls supports "
                                           "them; use --steps-by to define a step"});
    }
    if (2 * measured < world) {
        doubts.push_back(
            {Confidence::Low, fmt::format("device work was recorded on {} of {} ranks", measured, world)});
    } else if (measured < world) {
        doubts.push_back(
            {Confidence::Medium, fmt::format("device work was recorded on {} of {} ranks", measured, world)});
    }
    if (const MissingRule* const rule = inconclusiveRule(report)) {
        doubts.push_back(
            {Confidence::Low, fmt::format("{} is {}", rule->rule, report.sentence(rule->reason))});
    }
    if (hasIssue(report, trace::Issue::StepsFromHostClock)) {
        doubts.push_back({Confidence::Low, "steps are cut at host times, not at device times"});
    }
    if (!report.model.analyzedWhole && report.metrics.stepCount() < kManySteps) {
        doubts.push_back({Confidence::Medium,
                          fmt::format("only {} step{} analyzed; {} or more are needed for steady figures",
                                      report.metrics.stepCount(),
                                      report.metrics.stepCount() == 1 ? " was" : "s were", kManySteps)});
    }
    if (report.droppedRecords > 0) {
        doubts.push_back({Confidence::Medium, fmt::format("{} records were dropped", report.droppedRecords)});
    }
    std::stable_sort(doubts.begin(), doubts.end(),
                     [](const Doubt& a, const Doubt& b) { return a.confidence > b.confidence; });
    return doubts;
}

/// Returns the costliest cause or symptom; findings are sorted. Findings of severity information limit
/// nothing.
const rules::Finding* costliest(const Report& report, bool cause)
{
    for (const rules::Finding& finding : report.findings) {
        if (finding.cause == cause && finding.severity != rules::Severity::Info) {
            return &finding;
        }
    }
    return nullptr;
}

/// Returns the finding for the verdict. A cause is preferred to a symptom unless it explains only a small
/// part of it.
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

/// Returns the costliest other cause that is not part of the first one's loss.
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

/// Returns title, cost and advice of a finding, and the next cause.
std::string advise(const Report& report, const rules::Finding& first)
{
    std::string text = fmt::format("{}.{} Try first: {}", report.sentence(first.title),
                                   costText(report, first), report.sentence(first.advice));
    if (const rules::Finding* const next = nextCause(report, first)) {
        text += fmt::format(" Next: {}.{}", report.sentence(next->title), costText(report, *next));
    }
    return text;
}

/// A finding with a doubt of its own has medium confidence at most.
void limitConfidence(Verdict& verdict, const rules::Finding& first)
{
    if (verdict.confidence == Confidence::High && !first.doubt.empty()) {
        verdict.confidence = Confidence::Medium;
        verdict.reason = words::render(first.doubt, {});
    }
}

/// Returns the verdict of a run in which only NCCL's calls were timed, by CUDA events.
Verdict verdictOfTimedCalls(const Report& report)
{
    Verdict verdict;
    verdict.reason = "only NCCL's calls were timed, by CUDA events";
    const rules::Finding* const first = worst(report);
    if (first == nullptr) {
        verdict.confidence = Confidence::Inconclusive;
        verdict.summary = "Nothing in the times of NCCL's calls limits this run. Compute and idle time were "
                          "not measured, because CUDA events time only these calls. The coverage below says "
                          "why the device tier was not active.";
    } else {
        verdict.confidence = Confidence::Low;
        verdict.limitedBy = first->limit;
        verdict.rule = first->rule;
        verdict.summary = advise(report, *first);
    }
    return verdict;
}

} // namespace

std::string_view whyNotMeasured(const Report& report)
{
    if (report.model.ranks.empty()) {
        return "This run has no trace of any rank, so nothing was measured. Check that the job was started "
               "with the collector preloaded, and that it called NCCL or CUDA.";
    }
    if (!report.model.hasDeviceData() && report.model.imported) {
        return "The trace contains no device work, so what limits this run was not measured. Check that the "
               "profiler recorded the GPU (ProfilerActivity.CUDA, nsys --trace=cuda).";
    }
    if (!report.model.hasDeviceData()) {
        return "No device work was recorded, so what limits this run was not measured. Record with "
               "`--profile standard`; the coverage below says why the device tier was not active.";
    }
    if (report.model.stepCoverage.notEverywhere > 0) {
        return "No step was recorded on every rank that has device data, so what limits this run was not "
               "measured. Check whether a rank ended early or started late, and record all ranks over the "
               "same steps.";
    }
    if (report.model.imported) {
        return "No whole step with device work was found, so what limits this run was not measured. If one "
               "of the trace's ranges is a step, use --steps-by range=NAME; --steps-by none analyzes the "
               "recording as a whole.";
    }
    return "No whole step with device work was found, so what limits this run was not measured. Mark steps "
           "with NVTX ranges (`ProfilerStep#N`, `iteration N`) or with ringside_step_begin, and record more "
           "of them.";
}

Verdict computeVerdict(const Report& report)
{
    Verdict verdict;
    if (!report.findings.empty() && report.findings.front().broken) {
        const rules::Finding& first = report.findings.front();
        verdict.limitedBy = first.limit;
        verdict.rule = first.rule;
        const std::string_view state = first.limit == rules::Limit::Death
                                           ? "This run did not end normally"
                                           : "This run does not work correctly";
        verdict.summary = fmt::format("{}. {}. Try first: {}", state, report.sentence(first.title),
                                      report.sentence(first.advice));
        return verdict;
    }
    if (!report.metrics.timed.arrived.empty()) {
        return verdictOfTimedCalls(report);
    }
    if (report.metrics.ranks.empty()) {
        verdict.confidence = Confidence::Inconclusive;
        verdict.summary = whyNotMeasured(report);
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
        // Warnings alone do not limit a run that computes most of the time.
        const bool small =
            computes && std::none_of(report.findings.begin(), report.findings.end(), [](const auto& finding) {
                return finding.severity == rules::Severity::Problem;
            });
        verdict.limitedBy = small ? rules::Limit::Compute : first->limit;
        verdict.rule = first->rule;
        limitConfidence(verdict, *first);
        verdict.summary = (small ? fmt::format("The run mostly computes: {}. The largest other gain: ",
                                               whereTimeGoes(report))
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
