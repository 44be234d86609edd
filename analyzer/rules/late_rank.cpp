// SPDX-License-Identifier: Apache-2.0
// One rank keeps arriving last and everybody waits for it. Collectives of one step are not independent (who
// computes longer is late to all of them), so chance is judged over steps: in how many of them this rank lost
// the most time.
#include "rules/support.h"

#include <array>

namespace ringside::rules {
namespace {

constexpr Option kOptions[] = {
    {"lost_share", 0.02, "warn when waiting for one rank costs more than this share of the step"},
    {"problem_share", 0.10, "a problem above this share"},
    {"chance", 0.01,
     "largest probability that chance alone makes a rank lose the most time in so many steps"},
};

/// Time each rank made the others wait, by analyzed step.
struct Lateness {
    std::vector<std::int64_t> lostNs; ///< by step
    std::int64_t sumNs = 0;
    std::int64_t lastArrivals = 0;
    std::size_t worstOfSteps = 0;     ///< steps in which it lost the most
    std::vector<std::int64_t> losses; ///< one an operation it was last in
    std::size_t worstOperation = 0;   ///< of RunMetrics::arrived
};

std::size_t stepsOf(const Context& context)
{
    return context.figures.ranks.empty() ? context.figures.timed.steps.size()
                                         : context.run.analyzedSteps.size();
}

std::vector<Lateness> latenessOf(const Context& context)
{
    const std::size_t steps = stepsOf(context);
    std::vector<Lateness> ranks(context.run.ranks.size());
    for (Lateness& rank : ranks) {
        rank.lostNs.resize(steps);
    }
    for (std::size_t i = 0; i < context.figures.arrived.size(); ++i) {
        const metrics::ArrivedOperation& entry = context.figures.arrived[i];
        Lateness& rank = ranks[entry.times.lastRank];
        const std::int64_t lost = entry.times.lostNs();
        if (rank.losses.empty() || lost > context.figures.arrived[rank.worstOperation].times.lostNs()) {
            rank.worstOperation = i;
        }
        rank.losses.push_back(lost);
        rank.lostNs[entry.step] = model::addCapped(rank.lostNs[entry.step], lost);
        rank.sumNs = model::addCapped(rank.sumNs, lost);
        ++rank.lastArrivals;
    }
    for (std::size_t step = 0; step < steps; ++step) {
        const auto worst =
            std::max_element(ranks.begin(), ranks.end(), [&](const Lateness& a, const Lateness& b) {
                return a.lostNs[step] < b.lostNs[step];
            });
        worst->worstOfSteps += worst->lostNs[step] > 0 ? 1U : 0U;
    }
    return ranks;
}

/// P(X >= hits) for a binomial X, times `ranks` because any of them could have been the one.
double chanceOf(std::size_t hits, std::size_t trials, std::size_t ranks)
{
    const double p = 1.0 / static_cast<double>(ranks);
    const auto n = static_cast<double>(trials);
    double sum = 0;
    for (std::size_t k = hits; k <= trials; ++k) {
        const auto x = static_cast<double>(k);
        sum += std::exp(std::lgamma(n + 1) - std::lgamma(x + 1) - std::lgamma(n - x + 1) + x * std::log(p) +
                        (n - x) * std::log1p(-p));
    }
    return std::min(1.0, sum * static_cast<double>(ranks));
}

struct Cause {
    std::string_view name;
    std::int64_t excessNs; ///< a step, more than the other ranks' median
    std::string_view advice;
    std::int64_t allExcessNs = 0; ///< of it and of the others: mending the rank cannot save more
};

/// What the rank spends more time on than the others do, from its own timeline; null when nothing there is
/// long enough to explain the time lost.
std::optional<Cause> causeOf(const Context& context, std::size_t rankIndex, std::int64_t lostPerStep)
{
    constexpr std::int64_t kLeastPart = 4; // a quarter
    const auto perStep = [&](const metrics::RankMetrics& rank) {
        const auto steps = static_cast<std::int64_t>(rank.steps.size());
        const std::int64_t host = rank.idle.of(metrics::IdleClass::HostBound) +
                                  rank.idle.of(metrics::IdleClass::LaunchLatency) +
                                  rank.idle.of(metrics::IdleClass::Synchronization);
        return std::array<std::int64_t, 4>{rank.total.computeNs / steps,
                                           rank.idle.of(metrics::IdleClass::DataLoading) / steps,
                                           host / steps, rank.total.copyNs / steps};
    };
    std::array<std::int64_t, 4> own{};
    std::array<std::vector<std::int64_t>, 4> others;
    for (const metrics::RankMetrics& rank : context.figures.ranks) {
        const auto figures = perStep(rank);
        if (rank.rank == rankIndex) {
            own = figures;
            continue;
        }
        for (std::size_t i = 0; i < figures.size(); ++i) {
            others[i].push_back(figures[i]);
        }
    }
    std::array<Cause, 4> causes = {{
        {"longer compute", 0,
         "Give it no more work than the others (sequence length, experts, `drop_last`), and check its clocks "
         "and temperature (nvidia-smi -q -d CLOCK,PERFORMANCE)."},
        {"data loading", 0,
         "Look at its loader: `num_workers`, `prefetch_factor`, `pin_memory`, its shard of the data set, its "
         "host's disk."},
        {"a host that launches late", 0,
         "Look at its host: CPU contention, binding to the GPU's NUMA node, blocking calls in its loop."},
        {"copies", 0, "Look at its copies: pinned memory, `non_blocking=True`, its PCIe link."},
    }};
    std::int64_t all = 0;
    for (std::size_t i = 0; i < causes.size(); ++i) {
        causes[i].excessNs = own[i] - model::median(others[i]);
        all += std::max<std::int64_t>(0, causes[i].excessNs);
    }
    Cause& biggest = *std::max_element(
        causes.begin(), causes.end(), [](const Cause& a, const Cause& b) { return a.excessNs < b.excessNs; });
    biggest.allExcessNs = all;
    return kLeastPart * biggest.excessNs >= lostPerStep ? std::optional(biggest) : std::nullopt;
}

/// What the lost time costs a step: not more than waiting delays the others.
std::int64_t costOf(const Context& context, std::size_t rankIndex, std::int64_t lostPerStep)
{
    std::vector<std::int64_t> waits;
    for (const metrics::RankMetrics& rank : context.figures.ranks) {
        if (rank.rank != rankIndex) {
            waits.push_back(rank.total.waitDelayNs / static_cast<std::int64_t>(rank.steps.size()));
        }
    }
    for (const metrics::TimedRank& rank : context.figures.timed.ranks) { // what compute hides is not known
        if (rank.rank != rankIndex) {
            waits.push_back(rank.waitNs / static_cast<std::int64_t>(stepsOf(context)));
        }
    }
    return std::min(lostPerStep, model::median(std::move(waits)));
}

/// Why the verdict cannot be given, if it cannot.
std::optional<NotApplicable> missing(const Context& context)
{
    if (context.figures.ranks.empty() && context.figures.timed.ranks.empty()) {
        return kNeedsDevice;
    }
    if (!context.run.clockErrorNs()) {
        return NotApplicable{
            "inconclusive: the clocks of the hosts could not be aligned, see the issue clock_unaligned",
            true};
    }
    if (!context.figures.arrivalsMeasured()) {
        return kNeedsArrivals;
    }
    return std::nullopt;
}

struct Judgement {
    std::int64_t lostNs = 0; ///< a step
    std::int64_t costNs = 0; ///< a step
    double share = 0;        ///< cost of the step
    double chance = 1;
    std::optional<Cause> cause;
};

Judgement judge(const Context& context, std::size_t index, const Lateness& lateness)
{
    const std::size_t steps = stepsOf(context);
    Judgement result;
    result.lostNs = lateness.sumNs / static_cast<std::int64_t>(steps);
    result.costNs = costOf(context, index, result.lostNs);
    result.cause = context.figures.ranks.empty() ? std::nullopt : causeOf(context, index, result.costNs);
    if (result.cause) {
        result.costNs = std::min(result.costNs, result.cause->allExcessNs);
    }
    result.share = static_cast<double>(result.costNs) /
                   static_cast<double>(std::max<std::int64_t>(1, context.figures.stepNs()));
    result.chance = chanceOf(lateness.worstOfSteps, steps, context.run.ranks.size());
    return result;
}

/// Steps below which not even a rank that is late in all of them can be told from chance.
std::size_t stepsNeeded(const Context& context)
{
    constexpr std::size_t kMost = 1000; // an unreachable threshold was set
    std::size_t steps = 1;
    while (steps < kMost && chanceOf(steps, steps, context.run.ranks.size()) > context.option("chance")) {
        ++steps;
    }
    return steps;
}

NotApplicable tooFewSteps(const Context& context, std::size_t index)
{
    return {
        fmt::format("inconclusive: the others wait for rank {}, but {} analyzed steps are too few to tell "
                    "that from chance: record {} or more",
                    context.run.ranks[index].rank, stepsOf(context), stepsNeeded(context)),
        true};
}

Finding describe(const Context& context, std::size_t index, const Lateness& lateness,
                 const Judgement& judgement)
{
    const model::Rank& rank = context.run.ranks[index];
    const std::optional<Cause>& cause = judgement.cause;
    const auto& worst = context.figures.arrived[lateness.worstOperation];
    const auto collectives = static_cast<double>(context.figures.arrived.size());
    Finding finding;
    finding.severity =
        judgement.share > context.option("problem_share") ? Severity::Problem : Severity::Warning;
    finding.limit = Limit::LateRank;
    finding.title = fmt::format(
        "Rank {} comes last: the others wait longest for it in {} of {} steps; its own timeline {}",
        rank.rank, lateness.worstOfSteps, stepsOf(context),
        context.figures.ranks.empty() ? "was not recorded"
        : cause                       ? fmt::format("shows {}", cause->name)
                                      : "shows nothing that explains it");
    finding.ranks = {rank.rank};
    finding.costNsPerStep = judgement.costNs;
    finding.partOf = {"exposed_communication"};
    finding.figures = {
        {"lost_share", Unit::Share, judgement.share, context.option("lost_share")},
        {"chance", Unit::Probability, judgement.chance, context.option("chance")},
        {"lost_ns_per_step", Unit::Ns, static_cast<double>(judgement.lostNs), {}},
        {"last_arrivals_share", Unit::Share, static_cast<double>(lateness.lastArrivals) / collectives, {}},
    };
    if (cause) {
        finding.figures.push_back(
            {"cause_excess_ns_per_step", Unit::Ns, static_cast<double>(cause->excessNs), {}});
    }
    finding.evidence = {{rank.rank, worst.times.firstArrivalNs, worst.times.endNs,
                         fmt::format("collective for which it was {} later than the next",
                                     milliseconds(worst.times.lostNs()))}};
    finding.advice =
        cause ? std::string(cause->advice)
              : fmt::format("Look at what rank {} does before its collectives in the evidence.", rank.rank);
    return finding;
}

Outcome run(const Context& context)
{
    if (const auto reason = missing(context)) {
        return *reason;
    }
    const std::vector<Lateness> ranks = latenessOf(context);
    const bool enough = stepsNeeded(context) <= stepsOf(context);
    std::vector<Finding> findings;
    std::optional<NotApplicable> doubt;
    for (std::size_t i = 0; i < ranks.size(); ++i) {
        const Judgement judgement = judge(context, i, ranks[i]);
        if (judgement.share <= context.option("lost_share")) {
            continue;
        }
        if (judgement.chance > context.option("chance")) {
            doubt = enough ? doubt : tooFewSteps(context, i);
        } else if (model::percentile(ranks[i].losses, 0.95) <= *context.run.clockErrorNs()) {
            // Few operations carry the loss (the first of a step), so the largest tell, not the middle.
            doubt = kBelowClockError;
        } else {
            findings.push_back(describe(context, i, ranks[i], judgement));
        }
    }
    if (findings.empty() && doubt) {
        return *doubt;
    }
    return findings;
}

} // namespace
} // namespace ringside::rules

RINGSIDE_RULE(late_rank, .title = "One rank arrives late", .needs = "device, on all ranks",
              .options = ringside::rules::kOptions, .run = ringside::rules::run,
              .help = "Lost time is last arrival minus second last, summed; it costs what delays the "
                      "others' steps, and no more than the rank takes longer than they. The late rank shows "
                      "the shortest communication "
                      "kernels. Its cause is what it spends more time on than the median of the others.");
