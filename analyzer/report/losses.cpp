// SPDX-License-Identifier: Apache-2.0
#include "report/losses.h"

#include "report/cost_attribution.h"

#include <algorithm>
#include <tuple>

namespace ringside::report {

std::vector<const rules::Finding*> lossesOf(const Report& report)
{
    std::vector<const rules::Finding*> losses;
    for (const rules::Finding& finding : report.findings) {
        if (&lossOf(report.findings, finding) == &finding) {
            losses.push_back(&finding);
        }
    }
    const auto key = [&](const rules::Finding* finding) {
        return std::tuple(!finding->broken, finding->rule != report.verdict.rule,
                          -finding->costNsPerStep.value_or(-1));
    };
    std::ranges::stable_sort(losses, {}, key);
    return losses;
}

std::vector<const rules::Finding*> restatementsOf(const Report& report, const rules::Finding& loss)
{
    std::vector<const rules::Finding*> restatements;
    for (const rules::Finding& finding : report.findings) {
        if (&finding != &loss && &lossOf(report.findings, finding) == &loss) {
            restatements.push_back(&finding);
        }
    }
    return restatements;
}

} // namespace ringside::report
