// SPDX-License-Identifier: Apache-2.0
// Decides what limits the run: which finding the verdict names, which one comes next, and how sure it is. The
// texts are in words/families/verdict.def.
#include "words/verdict.h"

#include "report/confidence.h"
#include "report/report.h"
#include "rules/shared/support.h"
#include "words/not_measured.h"

#include <algorithm>
#include <cmath>

namespace ringside::report {
namespace {

namespace verdict_text = words::verdict;

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

/// Returns how much of a loss a cause explains, ns per step. That can be more than removing it saves: of what
/// the others wait for a late rank, a replay gives back only what nothing else limits.
std::int64_t explainedBy(const rules::Finding& cause)
{
    return std::max<std::int64_t>(cause.costNsPerStep.value_or(0),
                                  std::llround(rules::figureOf(cause, "lost_ns")));
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
    return symptom->costNsPerStep.value_or(0) > kSmallPart * explainedBy(*cause) ? symptom : cause;
}

words::Text costSentence(const Report& report, const rules::Finding& finding)
{
    if (!finding.costNsPerStep || *finding.costNsPerStep <= 0) {
        return {};
    }
    const std::int64_t step = std::max<std::int64_t>(1, report.metrics.stepNs());
    return words::say(report.model.recordingIsStep() ? verdict_text::cost_of_second
                                                     : verdict_text::cost_of_step,
                      {{"cost", *finding.costNsPerStep},
                       {"step", step},
                       {"share", static_cast<double>(*finding.costNsPerStep) / static_cast<double>(step)}});
}

words::Text whereTimeGoes(const Report& report)
{
    const metrics::Breakdown total = report.metrics.total();
    return words::say(verdict_text::where_time_goes,
                      {{"compute", total.share(total.computeNs)},
                       {"communication", total.share(total.exposedCommunicationNs)},
                       {"copies", total.share(total.exposedCopyNs)},
                       {"idle", total.share(total.idleNs)}});
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
words::Text advise(const Report& report, const rules::Finding& first)
{
    words::Text said =
        words::say(verdict_text::limited,
                   {{"title", first.title}, {"cost", costSentence(report, first)}, {"remedy", first.advice}});
    if (const rules::Finding* const next = nextCause(report, first)) {
        said +=
            words::say(verdict_text::next, {{"title", next->title}, {"cost", costSentence(report, *next)}});
    }
    return said;
}

/// `first`: one of report.findings.
void nameFinding(Verdict& verdict, const Report& report, const rules::Finding& first)
{
    verdict.limitedBy = first.limit;
    verdict.rule = first.rule;
    verdict.finding = static_cast<std::size_t>(&first - report.findings.data());
}

/// What is wrong comes before what costs time, and needs no measured step.
void tellBroken(Verdict& verdict, const Report& report, const rules::Finding& first)
{
    nameFinding(verdict, report, first);
    verdict.summary =
        words::say(first.limit == rules::Limit::Death ? verdict_text::died : verdict_text::broken,
                   {{"title", first.title}, {"remedy", first.advice}});
}

/// Of a run in which only NCCL's calls were timed, by CUDA events.
void tellTimedCalls(Verdict& verdict, const Report& report, const rules::Finding* first)
{
    verdict.summary = verdict_text::nothing_in_calls;
    if (first != nullptr) {
        nameFinding(verdict, report, *first);
        verdict.summary = advise(report, *first);
    }
}

void tellLimit(Verdict& verdict, const Report& report, const rules::Finding* first)
{
    const metrics::Breakdown total = report.metrics.total();
    const bool computes = 2 * total.computeNs > total.stepNs;
    if (first == nullptr) {
        verdict.limitedBy = computes ? rules::Limit::Compute : rules::Limit::Nothing;
        verdict.summary = words::say(verdict_text::nothing, {{"where", whereTimeGoes(report)}});
    } else {
        nameFinding(verdict, report, *first);
        verdict.summary = advise(report, *first);
        // Warnings alone do not limit a run that computes most of the time.
        if (computes && std::ranges::find(report.findings, rules::Severity::Problem,
                                          &rules::Finding::severity) == report.findings.end()) {
            verdict.limitedBy = rules::Limit::Compute;
            verdict.summary = words::say(verdict_text::mostly_computes, {{"where", whereTimeGoes(report)}}) +
                              verdict.summary;
        }
    }
    if (report.model.emulated) {
        verdict.summary += verdict_text::emulated;
    }
}

/// Each source of traces says itself why it has no device work.
words::Text whyNoDeviceWork(const Report& report)
{
    namespace why = words::not_measured;
    words::Text said = why::no_device_work_imported;
    const auto device = std::ranges::find(report.tiers, trace::TierName("device"), &Tier::name);
    if (device != report.tiers.end() && !device->reasons.empty()) {
        said += words::say(why::no_device_work_because, {{"reason", device->reasons.front()}});
    }
    return said += why::no_device_work_remedy;
}

} // namespace

words::Text whyNotMeasured(const Report& report)
{
    namespace why = words::not_measured;
    const bool imported = report.model.imported;
    if (!report.model.ranks.empty() && !report.model.hasDeviceData() && imported) {
        return whyNoDeviceWork(report);
    }
    return report.model.ranks.empty()                    ? why::no_rank
           : !report.model.hasDeviceData()               ? why::no_device_work
           : report.model.stepCoverage.notEverywhere > 0 ? why::no_common_step
           : imported                                    ? why::no_step_imported
                                                         : why::no_step;
}

const rules::Finding* namedFinding(const Report& report)
{
    return report.verdict.finding ? &report.findings[*report.verdict.finding] : nullptr;
}

Verdict computeVerdict(const Report& report)
{
    Verdict verdict;
    if (!report.findings.empty() && report.findings.front().broken) {
        tellBroken(verdict, report, report.findings.front());
        return verdict;
    }
    const rules::Finding* const first = worst(report);
    verdict.conditions = judgeConfidence(
        report, report.metrics.ranks.empty() && report.metrics.timed.arrived.empty() ? nullptr : first);
    if (const Judged* const limit = weakest(verdict.conditions)) {
        verdict.confidence = limit->condition->atMost;
        verdict.reason = *limit->broken;
    }
    if (!report.metrics.timed.arrived.empty()) {
        tellTimedCalls(verdict, report, first);
    } else if (report.metrics.ranks.empty()) {
        verdict.summary = whyNotMeasured(report);
    } else {
        tellLimit(verdict, report, first);
    }
    return verdict;
}

} // namespace ringside::report
