// SPDX-License-Identifier: Apache-2.0
// What a program does and need not: blocking calls, reductions of micro-batches, maps of used parameters, and
// batches of different length. Each is taken out of a plan; what else the program does stays as it was.
#include "whatif/changes.h"

#include <ringside/error.h>

#include <fmt/format.h>

#include <numeric>

namespace ringside::whatif {
namespace {

/// It takes no time, needs nobody and is still there for what waits for it.
void empty(PlannedOp& op)
{
    op.op.slot.reset();
    op.ns = 0;
    op.delayNs = 0;
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

/// Mean time of a rank's own operations in a sample, and over all of them.
struct OwnTime {
    double usualNs = 0;
    double meanPace = 0;
};

OwnTime ownTimeOf(const PlannedRank& rank)
{
    OwnTime time;
    for (const PlannedOp& op : rank.ops) {
        time.usualNs += op.op.slot ? 0 : op.ns;
    }
    time.meanPace =
        std::accumulate(rank.pace.begin(), rank.pace.end(), 0.0) / static_cast<double>(rank.pace.size());
    return time;
}

} // namespace

void removeBlockingCalls(Plan& plan)
{
    if (plan.inferredWaits) {
        throw Error(ErrorCode::Unusable,
                    "no waits of streams for each other were recorded, and blocking calls hide them: what "
                    "would still wait is not known",
                    "Record calls of the CUDA runtime with LD_PRELOAD (`ringside record`).");
    }
    bool any = false;
    for (PlannedRank& rank : plan.ranks) {
        for (PlannedOp& op : rank.ops) {
            any = any || op.op.blockedBefore || op.op.blocksHost;
            op.hostNs += op.op.blockedBefore ? op.afterBlockNs : 0;
            op.op.blockedBefore = false;
            op.op.blocksHost = false;
            op.op.hostAfter.clear();
        }
    }
    if (!any) {
        throw Error(ErrorCode::Unusable, "no blocking call was recorded in most steps",
                    "They are seen by the host tier: record with LD_PRELOAD (`ringside record`).");
    }
}

void removeUsedMaps(Plan& plan)
{
    std::vector<bool> gone;
    for (const PlannedSlot& slot : plan.slotTable) {
        gone.push_back(slot.slot.usedMap);
    }
    if (std::find(gone.begin(), gone.end(), true) == gone.end()) {
        throw Error(ErrorCode::Unusable, "no reduction of integers over all ranks is in the step");
    }
    emptySlots(plan, gone);
}

void keepLastReduction(Plan& plan, unsigned times)
{
    std::vector<std::uint32_t> gradients;
    for (const PlannedOp& op : plan.ranks.front().ops) {
        if (op.op.slot && plan.slotTable[*op.op.slot].slot.gradient) {
            gradients.push_back(*op.op.slot);
        }
    }
    if (times < 2 || gradients.empty() || gradients.size() % times != 0) {
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

/// What a step has more than others is shared between the ranks; what a rank always has more stays its own.
void equalizeBatches(Plan& plan)
{
    if (plan.ranks.size() < 2) {
        throw Error(ErrorCode::Unusable, "one rank alone has no batch to share with others");
    }
    std::vector<double> ofSample(plan.samples);
    double mean = 0;
    std::vector<OwnTime> own;
    for (const PlannedRank& rank : plan.ranks) {
        own.push_back(ownTimeOf(rank));
        for (std::size_t i = 0; i < plan.samples; ++i) {
            ofSample[i] += rank.pace[i] * own.back().usualNs;
        }
        mean += own.back().meanPace * own.back().usualNs;
    }
    for (std::size_t r = 0; r < plan.ranks.size(); ++r) {
        for (std::size_t i = 0; i < plan.samples; ++i) {
            plan.ranks[r].pace[i] = mean > 0 ? own[r].meanPace * ofSample[i] / mean : 1.0;
        }
    }
}

} // namespace ringside::whatif
