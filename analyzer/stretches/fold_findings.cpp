// SPDX-License-Identifier: Apache-2.0
#include "rules/shared/support.h"
#include "stretches/fold.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

namespace ringside::stretches {
namespace {

/// Returns whether two findings of one rule name about the same ranks: at least half of the larger set.
bool nameSameRanks(const std::vector<std::int64_t>& a, const std::vector<std::int64_t>& b)
{
    if (a.empty() || b.empty()) {
        return a.empty() == b.empty();
    }
    std::vector<std::int64_t> first = a;
    std::vector<std::int64_t> second = b;
    std::ranges::sort(first);
    std::ranges::sort(second);
    std::vector<std::int64_t> both;
    std::ranges::set_intersection(first, second, std::back_inserter(both));
    return 2 * both.size() >= std::max(a.size(), b.size());
}

/// A symptom restates a loss, on whichever ranks it shows most. A cause on other ranks is another cause.
bool areOfOneKind(const rules::Finding& a, const rules::Finding& b)
{
    return a.rule == b.rule && a.links == b.links && a.settings == b.settings && a.broken == b.broken &&
           a.cause == b.cause && (!a.cause || nameSameRanks(a.ranks, b.ranks));
}

rules::Severity severityOf(std::int64_t costNs, std::int64_t stepNs)
{
    return rules::severityOfShare(stepNs > 0 ? static_cast<double>(costNs) / static_cast<double>(stepNs)
                                             : 0.0);
}

/// Each stretch is a test of its own, and small costs are found by chance now and then.
bool isChance(const FoldedFinding& folded, const rules::Finding& finding, std::size_t stretches)
{
    return folded.byCost && finding.severity == rules::Severity::Info && 2 * folded.stretches < stretches;
}

/// The text of a finding is that of the stretch in which it costs most; without costs, that of the first one.
bool isCostlier(const rules::Finding& a, const rules::Finding& b)
{
    return a.costNsPerStep.value_or(-1) > b.costNsPerStep.value_or(-1);
}

} // namespace

void Fold::addFindings(const StretchRecord& stretch)
{
    const auto steps = static_cast<double>(stretch.analyzedSteps.size());
    std::vector<bool> taken(m_findings.size(), false);
    for (std::size_t i = 0; i < stretch.findings.size(); ++i) {
        const rules::Finding& finding = stretch.findings[i];
        std::size_t at = 0;
        while (at < taken.size() && (taken[at] || !areOfOneKind(m_findings[at].finding, finding))) {
            ++at;
        }
        const bool fresh = at == taken.size();
        if (fresh) {
            m_findings.emplace_back();
            taken.push_back(false);
        }
        taken[at] = true;
        FoldedFinding& folded = m_findings[at];
        ++folded.stretches;
        folded.costs = folded.costs || finding.costNsPerStep;
        folded.costNs += steps * static_cast<double>(finding.costNsPerStep.value_or(0));
        folded.estimated = folded.estimated || stretch.estimates[i];
        folded.estimateNs += steps * static_cast<double>(stretch.estimates[i].value_or(0));
        const rules::Severity severity =
            fresh ? finding.severity : std::max(finding.severity, folded.finding.severity);
        if (fresh || isCostlier(finding, folded.finding)) {
            folded.finding = finding;
            folded.byCost = finding.costNsPerStep &&
                            finding.severity == severityOf(*finding.costNsPerStep, stretch.stepNs);
            folded.firstStep = stretch.firstStep;
            folded.lastStep = stretch.lastStep;
        }
        folded.finding.severity = severity;
    }
}

void Fold::finishFindings(report::Draft& draft) const
{
    report::Report& report = draft.report;
    const auto steps = static_cast<double>(std::max<std::size_t>(1, report.model.analyzedSteps.size()));
    report.findings.clear();
    draft.estimates.clear();
    const auto mean = [steps](bool known, double ns) {
        return known ? std::optional(static_cast<std::int64_t>(std::llround(ns / steps))) : std::nullopt;
    };
    for (const FoldedFinding& folded : m_findings) {
        rules::Finding finding = folded.finding;
        finding.costNsPerStep = mean(folded.costs, folded.costNs);
        if (folded.byCost && !finding.broken) {
            finding.severity = severityOf(*finding.costNsPerStep, report.metrics.stepNs());
        }
        // A cost needs measured steps. Without one, it is a fact, such as a rank that died or a setting.
        const std::size_t judged = folded.costs ? m_measured : m_stretches;
        if (isChance(folded, finding, judged)) {
            continue;
        }
        if (folded.costs || folded.stretches < judged) {
            finding.title += fmt::format(" (figures of steps {} to {}; found in {} of {} stretches)",
                                         folded.firstStep, folded.lastStep, folded.stretches, judged);
        }
        draft.estimates.push_back(mean(folded.estimated, folded.estimateNs));
        report.findings.push_back(std::move(finding));
    }
}

} // namespace ringside::stretches
