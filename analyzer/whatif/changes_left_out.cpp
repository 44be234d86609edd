// SPDX-License-Identifier: Apache-2.0
// Removes work that a program does not need: blocking calls, reductions of micro-batches, maps of used
// parameters, and the effect of batches of different length. The rest of the plan stays.
#include "model/lasting_difference.h"
#include "whatif/changes.h"
#include "whatif/what_is_missing.h"

#include <ringside/error.h>

#include <fmt/format.h>

namespace ringside::whatif {
namespace {

/// Keeps the operation, so that others can still wait for it, but it takes no time and waits for nothing.
void empty(PlannedOp& op)
{
    op.op.slot.reset();
    op.ns = 0;
    op.delays.assign(op.delays.size(), {});
    op.callNs = 0;
    op.returnNs = 0;
    op.gate.reset();
}

void emptySlots(Plan& plan, const std::vector<bool>& gone)
{
    for (PlannedRank& rank : plan.ranks) {
        for (PlannedOp& op : rank.ops) {
            if (op.op.slot && gone[*op.op.slot]) {
                empty(op);
            }
        }
    }
}

double usualNs(const PlannedRank& rank)
{
    double sum = 0;
    for (const PlannedOp& op : rank.ops) {
        sum += op.op.slot ? 0 : op.ns;
    }
    return sum;
}

/// Returns a rank's own time in each sample with batches of equal length, ns.
std::vector<std::vector<double>> equalWork(const Plan& plan)
{
    std::vector<double> meanNs(plan.samples);
    for (const PlannedRank& rank : plan.ranks) {
        for (std::size_t i = 0; i < plan.samples; ++i) {
            meanNs[i] += rank.pace[i] * usualNs(rank) / static_cast<double>(plan.ranks.size());
        }
    }
    std::vector<std::vector<double>> work;
    for (const PlannedRank& rank : plan.ranks) {
        std::vector<double> above;
        for (std::size_t i = 0; i < plan.samples; ++i) {
            above.push_back(rank.pace[i] * usualNs(rank) - meanNs[i]);
        }
        const double lasting = model::lastingDifference(above);
        std::vector<double>& shared = work.emplace_back();
        for (const double mean : meanNs) {
            shared.push_back(std::max(0.0, mean + lasting));
        }
    }
    return work;
}

} // namespace

void removeBlockingCalls(Plan& plan)
{
    if (plan.inferredWaits) {
        throw Error(
            ErrorCode::Unusable,
            "no waits between streams were recorded, and blocking calls hide them: it is unknown what "
            "would still wait",
            "Record calls of the CUDA runtime with LD_PRELOAD (`ringside record`).");
    }
    bool any = false;
    for (PlannedRank& rank : plan.ranks) {
        for (PlannedOp& op : rank.ops) {
            any = any || op.op.blockedBefore || op.op.blocksHost;
            if (op.op.blockedBefore) { // a gate only stands for what follows the calls
                (op.gate ? op.betweenNs : op.hostNs) += op.gate ? op.hostNs : op.afterBlockNs;
            }
            op.op.blockedBefore = false;
            op.op.blocksHost = false;
            op.op.hostAfter.clear();
        }
    }
    if (!any) {
        throw Error(ErrorCode::Unusable, "no blocking call was recorded in most steps",
                    "The host tier records them: record with LD_PRELOAD (`ringside record`).");
    }
}

void removeUsedMaps(Plan& plan)
{
    requireUsedMaps(plan);
    std::vector<bool> gone;
    for (const PlannedSlot& slot : plan.slotTable) {
        gone.push_back(slot.slot.usedMap);
    }
    emptySlots(plan, gone);
}

void keepLastReduction(Plan& plan, unsigned times)
{
    requireGradients(plan);
    std::vector<std::uint32_t> gradients;
    for (const PlannedOp& op : plan.ranks.front().ops) {
        if (op.op.slot && plan.slotTable[*op.op.slot].slot.gradient) {
            gradients.push_back(*op.op.slot);
        }
    }
    if (times < 2 || gradients.size() % times != 0) {
        throw Error(ErrorCode::Unusable,
                    fmt::format("the {} gradient messages of a step are not those of {} backward passes",
                                gradients.size(), times));
    }
    std::vector<bool> gone(plan.slotTable.size());
    for (std::size_t i = 0; i < gradients.size() - gradients.size() / times; ++i) {
        gone[gradients[i]] = true;
    }
    emptySlots(plan, gone);
}

/// Shares work that a rank has more than others in some steps. Work that it has more in all steps stays its
/// own.
void equalizeBatches(Plan& plan)
{
    requireRanks(plan, "whose batches are larger");
    if (plan.samples < 2) {
        throw Error(
            ErrorCode::Unusable,
            "one step cannot separate batches of different length from ranks that always have more work",
            "Record several steps: more steps give a safer result.");
    }
    const std::vector<std::vector<double>> shared = equalWork(plan);
    for (std::size_t rank = 0; rank < plan.ranks.size(); ++rank) {
        const double usual = usualNs(plan.ranks[rank]);
        for (std::size_t i = 0; i < plan.samples; ++i) {
            plan.ranks[rank].pace[i] = usual > 0 ? shared[rank][i] / usual : 1.0;
        }
    }
}

SharedWork mostSharedWork(const Plan& plan)
{
    const std::vector<std::vector<double>> shared = equalWork(plan);
    SharedWork most{.rank = plan.ranks.front().rank, .ns = std::numeric_limits<double>::lowest()};
    for (std::size_t rank = 0; rank < plan.ranks.size(); ++rank) {
        double more = 0;
        for (std::size_t i = 0; i < plan.samples; ++i) {
            more += shared[rank][i] - plan.ranks[rank].pace[i] * usualNs(plan.ranks[rank]);
        }
        more /= static_cast<double>(plan.samples);
        most = more > most.ns ? SharedWork{plan.ranks[rank].rank, more} : most;
    }
    return most;
}

} // namespace ringside::whatif
