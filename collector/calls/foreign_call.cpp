// SPDX-License-Identifier: Apache-2.0
#include "calls/foreign_call.h"

#include "calls/wrapper.h"

#include <algorithm>

namespace ringside::collector {

StringId apiOf(std::string_view function)
{
    constexpr std::string_view kPrefix = "nccl";
    // NCCL's data calls come first in NCCL's table, which follows CUDA's.
    const auto* const found =
        std::find_if(kApiNames.begin() + static_cast<std::size_t>(Api::ncclAllReduce), kApiNames.end(),
                     [&](std::string_view name) { return name.substr(kPrefix.size()) == function; });
    return found != kApiNames.end() ? stringIdOf(static_cast<Api>(found - kApiNames.begin()))
                                    : registry().intern(function);
}

Communicator* makeForeignCommunicator(std::uint64_t ncclHash, std::int32_t size, std::int32_t rank,
                                      std::int32_t device)
{
    CommunicatorIdentity identity;
    identity.hash = ncclHash != 0 ? hashBytes(&ncclHash, sizeof ncclHash) : 0;
    identity.size = size;
    identity.rank = rank;
    identity.device = device;
    constexpr int kMostDevices = 64;
    if (device >= 0 && device < kMostDevices) {
        registry().devicesSeen.fetch_or(std::uint64_t{1} << device);
    }
    return registry().addCommunicator(identity);
}

void writeForeignCall(ThreadState& thread, const ForeignCall& call)
{
    const Communicator* const communicator = call.communicator;
    const int device = communicator != nullptr ? communicator->identity.device : -1;
    const std::uint32_t stream =
        streamId(thread, static_cast<cudaStream_t>(call.stream), [device] { return device; });
    auto* const record = thread.ring->reserve<trace::CollectiveRecord>();
    if (record == nullptr) {
        return;
    }
    record->call.startTicks = call.startTicks;
    record->call.endTicks = call.endTicks;
    record->call.api = call.api;
    record->call.result = trace::kUnknownResult;
    record->callId = call.callId;
    record->sequence = call.sequence;
    record->count = call.count;
    record->groupId = call.groupId;
    record->communicator = communicator != nullptr ? communicator->id : 0;
    record->stream = stream;
    record->peer = call.peer;
    record->datatype = call.datatype;
    record->reduction = call.reduction;
    record->graph = call.graph;
    thread.ring->commit(record, trace::RecordKind::Collective);
}

void writeForeignGroup(ThreadState& thread, const ForeignGroup& group)
{
    auto* const record = thread.ring->reserve<trace::GroupRecord>();
    if (record == nullptr) {
        return;
    }
    record->call.startTicks = group.startTicks;
    record->call.endTicks = group.endTicks;
    record->call.api = stringIdOf(Api::ncclGroupEnd);
    record->call.result = trace::kUnknownResult;
    record->groupId = group.id;
    record->calls = group.calls;
    record->endCallStartTicks = group.endCallTicks;
    thread.ring->commit(record, trace::RecordKind::Group);
}

} // namespace ringside::collector
