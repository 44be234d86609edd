// SPDX-License-Identifier: Apache-2.0
// Makes ranks as fast as the median: each of their own times between two collectives is reduced to that of
// the median rank.
#include "whatif/changes.h"
#include "whatif/what_is_missing.h"

#include <ringside/error.h>

#include <fmt/format.h>

namespace ringside::whatif {
namespace {

/// Returns whether a time of an operation is the rank's own. Device time of a collective and host time of a
/// blocking call are not.
bool isOwn(const PlannedOp& op, double PlannedOp::*part)
{
    return part == &PlannedOp::ns ? !op.op.slot : !op.gate;
}

/// The delay with which a rank's device begins, of any kind.
struct LateBegins {};

/// It is always the rank's own.
bool isOwn(const PlannedOp& /*op*/, LateBegins /*part*/)
{
    return true;
}

double timeOf(const PlannedOp& op, double PlannedOp::*part)
{
    return op.*part;
}

/// Returns the sum over all samples; every rank has the same number of them.
double timeOf(const PlannedOp& op, LateBegins /*part*/)
{
    double sum = 0;
    for (const Delay& delay : op.delays) {
        sum += delay.seenNs;
    }
    return sum;
}

void scale(PlannedOp& op, double PlannedOp::*part, double factor)
{
    op.*part *= factor;
}

void scale(PlannedOp& op, LateBegins /*part*/, double factor)
{
    for (Delay& delay : op.delays) {
        delay.afterLaunchNs *= factor;
        delay.afterWaitsNs *= factor;
        delay.seenNs *= factor;
    }
}

/// Returns a rank's sums between the launches of its collectives: one more than it has collectives.
template <typename Part>
std::vector<double> segments(const PlannedRank& rank, Part part)
{
    std::vector<double> result(1);
    for (const PlannedOp& op : rank.ops) {
        result.back() += isOwn(op, part) ? timeOf(op, part) : 0;
        if (op.op.slot) {
            result.push_back(0);
        }
    }
    return result;
}

template <typename Part>
void scaleSegments(PlannedRank& rank, Part part, const std::vector<double>& factors)
{
    std::size_t segment = 0;
    for (PlannedOp& op : rank.ops) {
        scale(op, part, isOwn(op, part) ? factors[segment] : 1.0);
        segment += op.op.slot ? 1U : 0U;
    }
}

/// Shortens host waits that starve the device longer than those of the median rank.
void levelGates(std::vector<PlannedRank*>& chosen, const Plan& plan)
{
    const auto starved = [](const PlannedRank& rank) {
        double sum = 0;
        for (const PlannedOp& op : rank.ops) {
            sum += op.gate ? op.gate->starvedNs : 0;
        }
        return sum;
    };
    std::vector<double> all;
    for (const PlannedRank& rank : plan.ranks) {
        all.push_back(starved(rank));
    }
    const double middle = model::median(all);
    for (PlannedRank* const rank : chosen) {
        const double own = starved(*rank);
        for (PlannedOp& op : rank->ops) {
            if (!op.gate || own <= middle || op.gate->starvedNs <= 0) {
                continue;
            }
            const double less = op.gate->starvedNs * (1 - middle / own);
            for (double& extra : op.gate->extraNs) {
                extra = std::max(0.0, extra - less);
            }
        }
    }
}

template <typename Part>
void level(const Plan& plan, const std::vector<PlannedRank*>& chosen, Part part)
{
    std::vector<std::vector<double>> all;
    for (const PlannedRank& rank : plan.ranks) {
        all.push_back(segments(rank, part));
        if (all.back().size() != all.front().size()) {
            throw Error(
                ErrorCode::Unusable,
                "ranks take part in different collectives, so their parts of the step cannot be compared");
        }
    }
    std::vector<double> median;
    for (std::size_t segment = 0; segment < all.front().size(); ++segment) {
        std::vector<double> values;
        for (const auto& rank : all) {
            values.push_back(rank[segment]);
        }
        median.push_back(model::median(values));
    }
    for (PlannedRank* const rank : chosen) {
        std::vector<double> factors = segments(*rank, part);
        for (std::size_t segment = 0; segment < factors.size(); ++segment) {
            factors[segment] = factors[segment] > median[segment] ? median[segment] / factors[segment] : 1.0;
        }
        scaleSegments(*rank, part, factors);
    }
}

/// Returns "0, 1, 2"; of many ranks only the first ones.
std::string ranksOf(const Plan& plan)
{
    constexpr std::size_t kMost = 16;
    std::string text;
    for (std::size_t i = 0; i < std::min(kMost, plan.ranks.size()); ++i) {
        text += fmt::format("{}{}", i == 0 ? "" : ", ", plan.ranks[i].rank);
    }
    return plan.ranks.size() > kMost ? text + fmt::format(" and {} more", plan.ranks.size() - kMost) : text;
}

} // namespace

void levelRanks(Plan& plan, const Changes& changes)
{
    requireRanks(plan, "who is late");
    std::vector<PlannedRank*> chosen;
    for (PlannedRank& rank : plan.ranks) {
        const bool named = std::find(changes.medianRanks.begin(), changes.medianRanks.end(), rank.rank) !=
                           changes.medianRanks.end();
        if (changes.noLateRanks || named) {
            chosen.push_back(&rank);
        }
    }
    for (const std::int64_t rank : changes.medianRanks) {
        if (std::none_of(plan.ranks.begin(), plan.ranks.end(),
                         [&](const auto& r) { return r.rank == rank; })) {
            throw Error(ErrorCode::Usage, fmt::format("rank {} is not in the replayed ranks", rank),
                        fmt::format("Use one of: {}.", ranksOf(plan)));
        }
    }
    for (double PlannedOp::*const part :
         {&PlannedOp::ns, &PlannedOp::hostNs, &PlannedOp::wakeNs, &PlannedOp::betweenNs,
          &PlannedOp::afterBlockNs, &PlannedOp::callNs, &PlannedOp::returnNs}) {
        level(plan, chosen, part);
    }
    level(plan, chosen, LateBegins());
    levelGates(chosen, plan);
}

} // namespace ringside::whatif
