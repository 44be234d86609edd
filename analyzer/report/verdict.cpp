// SPDX-License-Identifier: Apache-2.0
// The paragraph at the top: what limits this run, what it costs, what to try first. Says so when it cannot
// tell.
#include "report/report.h"
#include "rules/support.h"

namespace ringside::report {
namespace {

Confidence confidenceOf(const Report& report)
{
    constexpr std::size_t kManySteps = 10;
    if (report.metrics.ranks.empty()) {
        return Confidence::Inconclusive;
    }
    if (report.model.analyzedWhole) {
        return Confidence::Low;
    }
    const bool everyRank = static_cast<std::int64_t>(report.metrics.ranks.size()) == report.model.worldSize;
    return report.metrics.stepCount() >= kManySteps && everyRank && report.droppedRecords == 0
               ? Confidence::High
               : Confidence::Medium;
}

/// The costliest finding of its kind: findings come sorted. Information alone limits nothing.
const rules::Finding* costliest(const Report& report, bool cause, const rules::Finding* except = nullptr)
{
    for (const rules::Finding& finding : report.findings) {
        if (finding.cause == cause && finding.severity != rules::Severity::Info && &finding != except) {
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
    const std::int64_t step = report.metrics.perStep(&metrics::Breakdown::stepNs);
    return fmt::format(
        " It costs about {} of a {} step ({}).", rules::milliseconds(*finding.costNsPerStep),
        rules::milliseconds(step),
        rules::percent(static_cast<double>(*finding.costNsPerStep) / static_cast<double>(step)));
}

std::string withoutFindings(const Report& report)
{
    const metrics::Breakdown total = report.metrics.total();
    return fmt::format(
        "Nothing measured here limits this run: compute fills {} of the step, exposed communication {}, idle "
        "time {}.",
        rules::percent(total.share(total.computeNs)),
        rules::percent(total.share(total.exposedCommunicationNs)), rules::percent(total.share(total.idleNs)));
}

std::string_view unmeasured(const Report& report)
{
    if (report.model.ranks.empty()) {
        return "No rank left a trace in this run, so nothing can be said about it. Was the job started with "
               "the collector "
               "preloaded, and did it call NCCL or CUDA?";
    }
    if (!report.model.hasDeviceData()) {
        return "No device work was recorded, so what limits this run was not measured. Record with "
               "`--profile standard`; the "
               "coverage below says why the device tier was not active.";
    }
    return "No whole step with device work was found, so what limits this run was not measured. Mark steps "
           "with NVTX ranges "
           "(`ProfilerStep#N`, `iteration N`) or with ringside_step_begin, and record more of them.";
}

} // namespace

Verdict judge(const Report& report)
{
    Verdict verdict;
    verdict.confidence = confidenceOf(report);
    if (verdict.confidence == Confidence::Inconclusive) {
        verdict.summary = unmeasured(report);
        return verdict;
    }
    const rules::Finding* first = worst(report);
    if (first == nullptr) {
        const metrics::Breakdown total = report.metrics.total();
        verdict.limitedBy =
            2 * total.computeNs > total.stepNs ? rules::Limit::Compute : rules::Limit::Nothing;
        verdict.summary = withoutFindings(report);
    } else {
        verdict.limitedBy = first->limit;
        verdict.summary =
            fmt::format("{}.{} Try first: {}", first->title, costText(report, *first), first->advice);
        if (const rules::Finding* const next = costliest(report, true, first)) {
            verdict.summary += fmt::format(" Next: {}.{}", next->title, costText(report, *next));
        }
    }
    if (report.model.emulated) {
        verdict.summary +=
            " This run was emulated on the CPU platform: its times are the device model's, not a GPU's.";
    }
    return verdict;
}

} // namespace ringside::report
