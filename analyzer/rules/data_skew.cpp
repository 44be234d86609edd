// SPDX-License-Identifier: Apache-2.0
// In each step another rank computes longest, because its batch is the largest: sequences of different
// length, images of different size. Nobody is late on the average, and still all wait in every step.
#include "metrics/experts.h"
#include "model/lasting_difference.h"
#include "rules/support.h"

#include <array>
#include <map>

namespace ringside::rules::rule_data_skew {
namespace {

constexpr Option kOptions[] = {
    {"excess", 0.05,
     "warn when the longest rank of a step computes longer than the mean of its step by more than this "
     "share, "
     "on the average, without what is always the same rank's (see compute_imbalance)"},
};

struct Skew {
    double excessNs = 0; ///< of a step: longest above mean
    double meanNs = 0;
    double lastingNs = 0; ///< part of it that would be there if each rank took its own mean
    [[nodiscard]] double changingNs() const { return excessNs - lastingNs; }
    std::size_t worstStep = 0;
    std::size_t worstRank = 0; ///< of RunMetrics::ranks
    std::map<std::int64_t, std::size_t>
        longestIn; ///< steps, by rank number, or by replica where ranks have one
};

/// Ranks of one replica work on the same batch.
std::optional<std::int64_t> replicaOf(const Context& context, std::size_t place)
{
    const model::ParallelLayout& layout = context.run.layout;
    return layout.isKnown() ? layout.places[context.figures.ranks[place].rank].replica : std::nullopt;
}

/// "most often rank 3, in 9 of 40"
std::string recurrence(const Context& context, const Skew& skew)
{
    const auto most =
        std::ranges::max_element(skew.longestIn, {}, [](const auto& entry) { return entry.second; });
    return fmt::format("most often {} {}, in {} of {}", replicaOf(context, 0) ? "replica" : "rank",
                       most->first, most->second, context.figures.stepCount());
}

Skew skewOf(const Context& context)
{
    const metrics::RunMetrics& run = context.figures;
    Skew skew;
    const auto ranks = static_cast<double>(run.ranks.size());
    const auto steps = static_cast<double>(run.stepCount());
    double worst = -1;
    std::vector<double> means;
    for (std::size_t step = 0; step < run.stepCount(); ++step) {
        double sum = 0;
        std::size_t longest = 0;
        for (std::size_t r = 0; r < run.ranks.size(); ++r) {
            sum += static_cast<double>(run.ranks[r].steps[step].computeNs);
            longest =
                run.ranks[r].steps[step].computeNs > run.ranks[longest].steps[step].computeNs ? r : longest;
        }
        const double excess = static_cast<double>(run.ranks[longest].steps[step].computeNs) - sum / ranks;
        ++skew.longestIn[replicaOf(context, longest).value_or(context.rankOf(run.ranks[longest]).rank)];
        skew.excessNs += excess / steps;
        skew.meanNs += sum / ranks / steps;
        means.push_back(sum / ranks);
        if (excess > worst) {
            worst = excess;
            skew.worstStep = step;
            skew.worstRank = longest;
        }
    }
    for (std::size_t r = 0; r < run.ranks.size(); ++r) {
        std::vector<double> above;
        for (std::size_t step = 0; step < run.stepCount(); ++step) {
            above.push_back(static_cast<double>(run.ranks[r].steps[step].computeNs) - means[step]);
        }
        skew.lastingNs = std::max(skew.lastingNs, model::lastingDifference(above));
    }
    return skew;
}

constexpr std::size_t kFewestSteps = 4;

bool sameSteps(const metrics::RunMetrics& run)
{
    return std::all_of(run.ranks.begin(), run.ranks.end(), [&](const metrics::RankMetrics& rank) {
        return rank.steps.size() == run.stepCount();
    });
}

Outcome run(const Context& context)
{
    const metrics::RunMetrics& figures = context.figures;
    if (figures.ranks.empty()) {
        return kNeedsDevice;
    }
    if (figures.ranks.size() < 2 || !sameSteps(figures)) {
        return NotApplicable{"needs the device tier of at least two ranks over the same steps"};
    }
    if (figures.stepCount() < kFewestSteps) {
        return NotApplicable{"needs four steps or more: which rank computes longest must be seen to change"};
    }
    const Skew skew = skewOf(context);
    const double excess = skew.meanNs > 0 ? skew.changingNs() / skew.meanNs : 0.0;
    if (excess <= context.option("excess")) {
        return std::vector<Finding>{};
    }
    const metrics::RankMetrics& worst = figures.ranks[skew.worstRank];
    Finding finding;
    finding.costNsPerStep = std::llround(skew.changingNs());
    finding.severity = severityByCost(context, *finding.costNsPerStep);
    finding.limit = Limit::Data;
    const metrics::ExpertFigures experts = metrics::expertsOf(context.run, figures);
    finding.cause = experts.ranks.empty() || !experts.areUneven(metrics::kUnevenExperts);
    finding.partOf = {"exposed_communication"};
    if (!finding.cause) {
        finding.partOf.insert(finding.partOf.begin(), "expert_imbalance");
    }
    finding.title = fmt::format("The rank that computes longest changes from step to step ({}), {} above the "
                                "mean: batches are of different size",
                                recurrence(context, skew), percent(excess));
    finding.settings = {"batch_sampler"};
    finding.figures = {{"compute_excess", Unit::Share, excess, context.option("excess")},
                       {"lasting_part", Unit::Share, skew.lastingNs / skew.excessNs, {}}};
    finding.evidence = {evidence(context.rankOf(worst), worst.windows[skew.worstStep],
                                 "the step and rank that computes longest above the others")};
    finding.advice = "Give all ranks batches of like size in each step: sort or bucket by length across "
                     "ranks, pack sequences, batch by tokens rather than samples, `drop_last=True`.";
    return std::vector<Finding>{finding};
}

} // namespace

RINGSIDE_RULE(data_skew, .title = "Batches differ in size from rank to rank", .needs = "device, on all ranks",
              .options = kOptions, .run = run,
              .help =
                  "Longest compute time of a step above the mean of its ranks, as far as it is not always "
                  "the same ranks'. The cost is that time: what equal batches would save.",
              .comparesRanks = true, .ofSteps = true, .ofTraining = true);

} // namespace ringside::rules::rule_data_skew
