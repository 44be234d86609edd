// SPDX-License-Identifier: Apache-2.0
// What the rules share that name no rank, because another one computes longest in each step.
#pragma once
#include "metrics/changing_compute.h"
#include "rules/support.h"

namespace ringside::rules {

/// Null where the steps of at least two ranks can be compared.
[[nodiscard]] inline std::optional<NotApplicable> cannotCompareSteps(const Context& context)
{
    constexpr std::size_t kFewestSteps = 4;
    const metrics::RunMetrics& figures = context.figures;
    if (figures.ranks.empty()) {
        return kNeedsDevice;
    }
    if (figures.ranks.size() < 2 || !metrics::hasSameSteps(figures)) {
        return NotApplicable{"needs the device tier of at least two ranks over the same steps"};
    }
    if (figures.stepCount() < kFewestSteps) {
        return NotApplicable{"needs four steps or more: which rank computes longest must be seen to change"};
    }
    return std::nullopt;
}

/// "The rank that computes longest changes from step to step (most often rank 3, in 9 of 40), 12.0 % above
/// the mean"
[[nodiscard]] inline std::string changingRankTitle(const Context& context,
                                                   const metrics::ChangingCompute& changing)
{
    const auto most =
        std::ranges::max_element(changing.longestIn, {}, [](const auto& entry) { return entry.second; });
    return fmt::format("The rank that computes longest changes from step to step (most often {} {}, in {} of "
                       "{}), {} above the mean",
                       metrics::replicaOf(context.run, context.figures.ranks.front()) ? "replica" : "rank",
                       most->first, most->second, context.figures.stepCount(),
                       percent(changing.changingShare()));
}

/// Cost, severity, figures and the step to look at. `alike` is of metrics::recurringGrowth.
[[nodiscard]] inline Finding changingRankFinding(const Context& context,
                                                 const metrics::ChangingCompute& changing,
                                                 std::optional<double> alike)
{
    const metrics::RankMetrics& worst = context.figures.ranks[changing.worst.rank];
    Finding finding;
    finding.costNsPerStep = std::llround(changing.changingNs());
    finding.severity = severityByCost(context, *finding.costNsPerStep);
    finding.partOf = {"exposed_communication"};
    finding.figures = {{"compute_excess", Unit::Share, changing.changingShare(), context.option("excess")},
                       {"lasting_part", Unit::Share, changing.lastingNs / changing.excessNs, {}}};
    if (alike) {
        finding.figures.push_back({"same_kernels", Unit::Ratio, *alike, metrics::kSameKernels});
    }
    finding.evidence = {evidence(context.rankOf(worst), worst.windows[changing.worst.step],
                                 "the step and rank that computes longest above the others")};
    return finding;
}

} // namespace ringside::rules
