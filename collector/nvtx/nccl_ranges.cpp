// SPDX-License-Identifier: Apache-2.0
#include "nvtx/nccl_ranges.h"

#include "nvtx/nccl_calls.h"
#include "nvtx/payload.h"
#include "profiler/plugin.h"
#include "trace/vocabulary/collective.h"

#include <algorithm>
#include <array>

namespace ringside::collector::nvtx {
namespace {

struct Known {
    std::string_view name;
    NcclFunction function;
};
constexpr std::array kKnown = {Known{"ncclGroupStart", NcclFunction::GroupStart},
                               Known{"ncclGroupEnd", NcclFunction::GroupEnd},
                               Known{"ncclCommInitRank", NcclFunction::NewRank},
                               Known{"ncclCommInitRankConfig", NcclFunction::NewRank},
                               Known{"ncclCommInitRankScalable", NcclFunction::NewRank},
                               Known{"ncclCommInitAll", NcclFunction::AllRanks},
                               Known{"ncclCommSplit", NcclFunction::Split},
                               Known{"ncclCommDestroy", NcclFunction::Destroy},
                               Known{"ncclCommAbort", NcclFunction::Destroy}};
std::uint64_t hashOf(const Values& values)
{
    return values.get(Field::Communicator).value_or(0);
}

ForeignCall callOf(StringId name, const Values& values)
{
    ForeignCall call;
    call.api = name;
    call.communicator = communicatorOf(hashOf(values));
    call.count = values.get(Field::Bytes).value_or(0) & ~trace::kCountIsBytes;
    call.peer = values.get(Field::Peer, values.get(Field::Root, -1));
    call.reduction =
        static_cast<std::uint16_t>(values.get(Field::Reduction, std::int32_t{trace::kNoReduction}));
    return call;
}

ReportedCommunicator newRank(const Values& values)
{
    return {.ncclHash = hashOf(values),
            .size = values.get(Field::Ranks, 0),
            .rank = values.get(Field::Rank, -1),
            .device = values.get(Field::Device, -1)};
}

// The payload contains size and rank of the parent; those of the child are not known.
ReportedCommunicator splitOf(const Values& values)
{
    const Communicator* const parent = communicatorOf(values.get(Field::Parent).value_or(0));
    return {.ncclHash = hashOf(values),
            .device = values.get(Field::Device, -1),
            .parent = parent != nullptr ? parent->id : 0};
}

// The range of a later call does not identify its rank, unless there is only one.
void noteAllRanks(const Values& values)
{
    if (values.get(Field::Devices, 0) == 1) {
        noteCommunicator({.ncclHash = hashOf(values), .size = 1, .rank = 0});
    } else {
        noteSeveralRanks(hashOf(values));
    }
}

void noteMade(NcclFunction function, const Values& values)
{
    if (profiler::showsCallsOf(hashOf(values))) {
        return; // the plugin has more details
    }
    if (function == NcclFunction::NewRank) {
        noteCommunicator(newRank(values));
    } else if (function == NcclFunction::Split) {
        noteCommunicator(splitOf(values));
    } else if (function == NcclFunction::AllRanks) {
        noteAllRanks(values);
    }
}

} // namespace

NcclFunction ncclFunctionOf(std::string_view name)
{
    if (!name.starts_with("nccl")) {
        return NcclFunction::None;
    }
    if (trace::collectiveKind(name) != trace::CollectiveKind::Other) {
        return NcclFunction::Data;
    }
    const auto* const found = std::ranges::find(kKnown, name, &Known::name);
    return found != kKnown.end() ? found->function : NcclFunction::Other;
}

bool beginNccl(ThreadState& thread, NcclFunction function, StringId name, const Values& values)
{
    switch (function) {
    case NcclFunction::Data:
        return !profiler::showsCallsOf(hashOf(values)) && beginCall(thread, callOf(name, values));
    case NcclFunction::GroupStart: // contains nothing about what NCCL does, so it ends at once
        enterGroup(thread);
        return true;
    case NcclFunction::GroupEnd:
        return beginGroupEnd(thread);
    case NcclFunction::Destroy: // afterwards, another communicator may have the same name
        forgetCommunicator(hashOf(values));
        [[fallthrough]];
    default:
        return enterFunction(thread, name);
    }
}

bool endNccl(ThreadState& thread, NcclFunction function, const Values& values)
{
    switch (function) {
    case NcclFunction::Data:
        endCall(thread);
        return false;
    case NcclFunction::GroupEnd:
        endGroupEnd(thread);
        return false;
    case NcclFunction::GroupStart:
        return false;
    default:
        noteMade(function, values);
        leaveFunction(thread);
        return true;
    }
}

} // namespace ringside::collector::nvtx
