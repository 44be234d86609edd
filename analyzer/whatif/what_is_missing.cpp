// SPDX-License-Identifier: Apache-2.0
#include "whatif/what_is_missing.h"

#include <ringside/error.h>

#include <fmt/format.h>

namespace ringside::whatif {
namespace {

constexpr const char* kWhoRecordsSizes =
    "`ringside record` with its library preloaded records sizes; so do traces of newer PyTorch "
    "(\"In msg nelems\"), and exports of Nsight Systems made with --include-blobs=true.";

std::size_t countCommunication(const Plan& plan)
{
    std::size_t count = 0;
    for (const PlannedRank& rank : plan.ranks) {
        count += static_cast<std::size_t>(std::count_if(
            rank.ops.begin(), rank.ops.end(), [](const PlannedOp& op) { return op.op.communication; }));
    }
    return count;
}

template <class IsSo>
bool any(const Plan& plan, const IsSo& isSo)
{
    return std::any_of(plan.slotTable.begin(), plan.slotTable.end(),
                       [&](const PlannedSlot& each) { return isSo(each.slot); });
}

/// Throws if there are no collectives, or if the sizes of possible candidates were not recorded.
void requireSizes(const Plan& plan, std::string_view what)
{
    requireCollectives(plan);
    const auto unsized = [&](const Slot& slot) {
        return !slot.bytes && slot.size == plan.worldSize &&
               (slot.kind == model::CollectiveKind::AllReduce ||
                slot.kind == model::CollectiveKind::ReduceScatter);
    };
    if (any(plan, unsized)) {
        throw Error(ErrorCode::Unusable,
                    fmt::format("the sizes of the messages were not recorded, so which of them {} is not "
                                "known",
                                what),
                    kWhoRecordsSizes);
    }
}

} // namespace

void requireRanks(const Plan& plan, std::string_view what)
{
    if (plan.ranks.size() >= 2) {
        return;
    }
    const bool more = plan.worldSize > 1;
    throw Error(
        ErrorCode::Unusable,
        more ? fmt::format("only 1 of {} ranks was recorded, and {} needs at least two", plan.worldSize, what)
             : fmt::format("the job has one rank, and {} needs at least two", what),
        more ? "Give the traces of the other ranks, too." : "");
}

void requireCollectives(const Plan& plan)
{
    if (!plan.slotTable.empty()) {
        return;
    }
    const std::size_t kernels = countCommunication(plan);
    if (kernels == 0) {
        throw Error(ErrorCode::Unusable, "no communication ran on the GPUs in the replayed steps");
    }
    requireRanks(plan, "how long a transfer lasts beside the waiting for late ranks");
    throw Error(ErrorCode::Unusable,
                fmt::format("none of the {} communication kernels of a step could be matched on all of its "
                            "ranks, so how much of their time is transfer is not known",
                            kernels),
                "`ringside report` lists what is missing under its issues.");
}

void requireGradients(const Plan& plan)
{
    if (any(plan, [](const Slot& slot) { return slot.gradient; })) {
        return;
    }
    requireSizes(plan, "carry gradients");
    throw Error(ErrorCode::Unusable,
                fmt::format("no gradients are reduced over all {} ranks in the step: no all-reduce and no "
                            "reduce-scatter of 4 KiB or more",
                            plan.worldSize));
}

void requireUsedMaps(const Plan& plan)
{
    if (any(plan, [](const Slot& slot) { return slot.usedMap; })) {
        return;
    }
    requireSizes(plan, "are maps of used parameters");
    throw Error(ErrorCode::Unusable,
                fmt::format("no integers are reduced over all {} ranks in the step: it has no map of used "
                            "parameters",
                            plan.worldSize));
}

void requireLine(const PlannedSlot& slot)
{
    if (slot.line) {
        return;
    }
    if (!slot.slot.bytes) {
        throw Error(ErrorCode::Unusable,
                    "the sizes of the messages were not recorded, so what latency and bandwidth cost is not "
                    "known",
                    kWhoRecordsSizes);
    }
    throw Error(ErrorCode::Unusable,
                "the messages of this run are all of nearly one size, or larger ones take no longer: that "
                "does not separate latency from bandwidth",
                "Record a short run with another bucket_cap_mb, or another model.");
}

} // namespace ringside::whatif
