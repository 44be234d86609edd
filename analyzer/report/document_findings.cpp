// SPDX-License-Identifier: Apache-2.0
#include "report/cost_attribution.h"
#include "report/document.h"
#include "report/sentences.h"

#include <algorithm>
#include <tuple>

namespace ringside::report {
namespace {

using document::Extent;

document::SameLoss sameLoss(const Report& report, const rules::Finding& finding, Extent extent)
{
    if (extent == Extent::All || finding.figures.empty()) {
        return {finding.rule, report.sentence(finding.title), false};
    }
    rules::Figure figure = finding.figures.front();
    figure.threshold.reset();
    return {finding.rule, figureText(figure, report.voice().period), true};
}

document::Finding shown(const Report& report, const rules::Finding& finding, Extent extent)
{
    document::Finding result;
    result.rule = finding.rule;
    result.severity = finding.severity;
    result.title = report.sentence(finding.title);
    result.cost = costText(finding);
    result.costNs = finding.costNsPerStep;
    result.perSecond = finding.perSecond;
    result.ranks = rankList(finding.ranks);
    result.who = whoText(finding);
    result.rankNumbers = finding.ranks;
    if (extent == Extent::All) {
        for (const rules::Figure& figure : finding.figures) {
            result.figures.push_back({rules::keyOf(figure, report.voice().period), figure.value,
                                      figureText(figure, report.voice().period)});
        }
    }
    for (const rules::Finding& other : report.findings) {
        if (&other != &finding && &lossOf(report.findings, other) == &finding) {
            result.sameLoss.push_back(sameLoss(report, other, extent));
        }
    }
    const std::size_t places =
        extent == Extent::All ? finding.evidence.size() : std::min<std::size_t>(1, finding.evidence.size());
    for (std::size_t i = 0; i < places; ++i) {
        result.places.push_back(placeOf(report, finding.evidence[i]));
    }
    if (extent == Extent::All || &finding != namedFinding(report)) {
        result.advice = report.sentence(finding.advice);
    }
    return result;
}

} // namespace

std::vector<document::Finding> lossesOf(const Report& report, Extent extent)
{
    std::vector<const rules::Finding*> losses;
    for (const rules::Finding& finding : report.findings) {
        if (&lossOf(report.findings, finding) == &finding) {
            losses.push_back(&finding);
        }
    }
    const rules::Finding* const named = namedFinding(report);
    std::ranges::stable_sort(losses, {}, [&](const rules::Finding* finding) {
        return std::tuple(!finding->broken, finding != named, -finding->costNsPerStep.value_or(-1));
    });
    std::vector<document::Finding> result;
    for (const rules::Finding* const finding : losses) {
        result.push_back(shown(report, *finding, extent));
    }
    return result;
}

} // namespace ringside::report
