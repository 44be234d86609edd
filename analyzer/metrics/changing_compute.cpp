// SPDX-License-Identifier: Apache-2.0
#include "metrics/changing_compute.h"

#include "model/lasting_difference.h"

#include <algorithm>

namespace ringside::metrics {
namespace {

/// A part of the steps of all ranks, such as compute.
struct StepPart {
    const RunMetrics& run;
    std::int64_t Breakdown::*part;

    [[nodiscard]] double ns(std::size_t rank, std::size_t step) const
    {
        return static_cast<double>(run.ranks[rank].steps[step].*part);
    }
    [[nodiscard]] double medianNs(std::size_t rank) const
    {
        return static_cast<double>(run.ranks[rank].median.*part);
    }
    [[nodiscard]] std::size_t ranks() const { return run.ranks.size(); }
};

std::vector<double> meansOf(const StepPart& part)
{
    std::vector<double> means(part.run.stepCount());
    for (std::size_t step = 0; step < means.size(); ++step) {
        for (std::size_t rank = 0; rank < part.ranks(); ++rank) {
            means[step] += part.ns(rank, step) / static_cast<double>(part.ranks());
        }
    }
    return means;
}

/// Returns the greatest difference of a rank from the mean that chance does not explain, ns.
double lastingNsOf(const StepPart& part, const std::vector<double>& means)
{
    double lasting = 0;
    for (std::size_t rank = 0; rank < part.ranks(); ++rank) {
        std::vector<double> above;
        for (std::size_t step = 0; step < means.size(); ++step) {
            above.push_back(part.ns(rank, step) - means[step]);
        }
        lasting = std::max(lasting, model::lastingDifference(above));
    }
    return lasting;
}

std::vector<LongCompute> longerThanUsual(const StepPart& part)
{
    std::vector<std::pair<double, LongCompute>> all;
    for (std::size_t rank = 0; rank < part.ranks(); ++rank) {
        for (std::size_t step = 0; step < part.run.stepCount(); ++step) {
            all.push_back({part.ns(rank, step) - part.medianNs(rank), {rank, step}});
        }
    }
    std::ranges::stable_sort(all, std::ranges::greater{}, &std::pair<double, LongCompute>::first);
    std::vector<LongCompute> longer;
    for (std::size_t i = 0; 4 * i < all.size(); ++i) {
        longer.push_back(all[i].second);
    }
    return longer;
}

struct StepExcess {
    double ns = 0;
    std::int64_t longest = 0; ///< number of the rank or replica
};

/// Counts the longest ranks of the steps that cost most. In a step that costs nothing, chance makes one rank
/// the longest.
void countCostly(ChangingCompute& found, std::vector<StepExcess> steps)
{
    constexpr double kMost = 0.9;
    std::ranges::stable_sort(steps, std::ranges::greater{}, &StepExcess::ns);
    const double all = found.excessNs * static_cast<double>(steps.size());
    double held = 0;
    while (found.costlySteps < steps.size() && held < kMost * all) {
        const StepExcess& step = steps[found.costlySteps++];
        held += step.ns;
        ++found.longestIn[step.longest];
    }
}

ChangingCompute changingOf(const model::Model& model, const StepPart& part)
{
    const std::vector<double> means = meansOf(part);
    const auto steps = static_cast<double>(means.size());
    double worst = -1;
    ChangingCompute found;
    std::vector<StepExcess> excesses;
    for (std::size_t step = 0; step < means.size(); ++step) {
        std::size_t longest = 0;
        for (std::size_t rank = 0; rank < part.ranks(); ++rank) {
            longest = part.ns(rank, step) > part.ns(longest, step) ? rank : longest;
        }
        const double excess = part.ns(longest, step) - means[step];
        found.excessNs += excess / steps;
        found.meanNs += means[step] / steps;
        const RankMetrics& rank = part.run.ranks[longest];
        excesses.push_back({excess, replicaOf(model, rank).value_or(model.ranks[rank.rank].rank)});
        if (excess > worst) {
            worst = excess;
            found.worst = {longest, step};
        }
    }
    countCostly(found, std::move(excesses));
    found.longer = longerThanUsual(part);
    found.lastingNs = lastingNsOf(part, means);
    return found;
}

} // namespace

ChangingCompute changingComputeOf(const model::Model& model, const RunMetrics& run)
{
    return changingOf(model, {run, &Breakdown::computeNs});
}

ChangingCompute changingIdleOf(const model::Model& model, const RunMetrics& run)
{
    return changingOf(model, {run, &Breakdown::idleNs});
}

bool hasSameSteps(const RunMetrics& run)
{
    return std::ranges::all_of(run.ranks,
                               [&](const RankMetrics& rank) { return rank.steps.size() == run.stepCount(); });
}

std::optional<std::int64_t> replicaOf(const model::Model& model, const RankMetrics& rank)
{
    return model.layout.isKnown() ? model.layout.places[rank.rank].replica : std::nullopt;
}

} // namespace ringside::metrics
