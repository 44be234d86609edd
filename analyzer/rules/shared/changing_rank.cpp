// SPDX-License-Identifier: Apache-2.0
#include "rules/shared/changing_rank.h"

#include "words/changing_rank.h"

#include <algorithm>
#include <cmath>

namespace ringside::rules {

std::optional<NotApplicable> cannotCompareSteps(const Context& context)
{
    constexpr std::size_t kFewestSteps = 4;
    const metrics::RunMetrics& figures = context.figures;
    if (figures.ranks.empty()) {
        return kNeedsDevice;
    }
    if (figures.ranks.size() < 2 || !metrics::hasSameSteps(figures)) {
        return NotApplicable{words::changing_rank::needs_same_steps};
    }
    if (figures.stepCount() < kFewestSteps) {
        return NotApplicable{words::changing_rank::needs_four_steps};
    }
    return std::nullopt;
}

words::Text changingRankTitle(const Context& context, const metrics::ChangingCompute& changing)
{
    namespace text = words::changing_rank;
    const auto most =
        std::ranges::max_element(changing.longestIn, {}, [](const auto& entry) { return entry.second; });
    const bool replicas = metrics::replicaOf(context.run, context.figures.ranks.front()).has_value();
    const bool always = most->second == changing.costlySteps;
    return say(always     ? replicas ? text::one_replica : text::one_rank
               : replicas ? text::replica_changes
                          : text::rank_changes,
               {{"rank", most->first},
                {"times", most->second},
                {"costly", changing.costlySteps},
                {"steps", context.figures.stepCount()},
                {"excess", changing.changingShare()}});
}

Finding changingRankFinding(const Context& context, const metrics::ChangingCompute& changing,
                            const metrics::BatchGrowth& growth)
{
    const metrics::RankMetrics& worst = context.figures.ranks[changing.worst.rank];
    Finding finding;
    finding.costNsPerStep = std::llround(changing.changingNs());
    finding.severity = severityByCost(context, *finding.costNsPerStep);
    finding.figures = {{"compute_excess", Unit::Share, changing.changingShare(), context.option("excess")},
                       {"lasting_part",
                        Unit::Share,
                        changing.excessNs > 0 ? changing.lastingNs / changing.excessNs : 0.0,
                        {}}};
    const auto add = [&](std::string_view name, Unit unit, std::optional<double> value, double threshold) {
        if (value) {
            finding.figures.push_back({std::string(name), unit, *value, threshold});
        }
    };
    add("same_kernels", Unit::Ratio, growth.sameKernels, metrics::kSameKernels);
    add("shared_by_neighbours", Unit::Share, growth.neighbours, metrics::kSharedGrowth);
    add("shared_by_replicas", Unit::Share, growth.ofReplicas, metrics::kSharedGrowth);
    finding.evidence = {evidence(context.rankOf(worst), worst.windows[changing.worst.step],
                                 words::changing_rank::worst_step)};
    return finding;
}

} // namespace ringside::rules
