// SPDX-License-Identifier: Apache-2.0
// Operations that NCCL makes of a call, reported when they are enqueued. From API version 5 on, NCCL reports
// the call of an operation. Before, it is the call in which the thread is, or one of its group.
#include "api/functions.h"
#include "device/correlation.h"
#include "profiler/observe.h"
#include "record/clock.h"
#include "record/nccl_kernels.h"
#include "trace/vocabulary/collective.h"

#include <algorithm>
#include <utility>

namespace ringside::collector::profiler {
namespace {

/// NCCL has a name for every type except ncclUint8.
constexpr std::string_view kNameOfUint8 = "Unknown";

std::uint64_t bytesOf(const Event& event)
{
    const trace::DatatypeEntry* const type = datatypeOf(event.coll.datatype);
    return type != nullptr ? event.coll.count * type->bytes : trace::kUnknownNumber;
}

std::uint64_t bytesOf(const GroupedCall& call)
{
    const auto bytes = trace::elementBytes(call.datatype);
    return bytes ? call.count * *bytes : trace::kUnknownNumber;
}

/// Returns NCCL's name of a function: "AllReduce" for ncclAllReduce.
std::string_view functionOf(std::uint32_t api)
{
    constexpr std::string_view kPrefix = "nccl";
    constexpr std::string_view kSuffix = "Config";
    std::string_view name = kApiNames[api - 1];
    name.remove_prefix(kPrefix.size());
    if (name.ends_with(kSuffix)) {
        name.remove_suffix(kSuffix.size());
    }
    return name == "Bcast" ? "Broadcast" : name;
}

bool fits(const GroupedCall& call, const Context& context, const Event& event, std::uint64_t bytes)
{
    if (call.callId == 0 || functionOf(call.api) != textOf(event.coll.function)) {
        return false;
    }
    const Communicator* const known = context.communicator.load(std::memory_order_relaxed);
    const bool same = known != nullptr ? known == call.communicator
                                       : context.size == 0 || call.communicator == nullptr ||
                                             (context.size == call.communicator->identity.size &&
                                              context.rank == call.communicator->identity.rank);
    const bool peer = event.type != kP2p || call.peer == event.coll.root;
    return same && peer && bytesOf(call) == bytes;
}

std::uint64_t callInGroup(NcclThread& nccl, Context& context, const Event& event)
{
    const std::uint64_t bytes = bytesOf(event);
    for (std::size_t index = 0; index < nccl.groupedCalls; ++index) {
        GroupedCall& call = nccl.grouped[index];
        if (fits(call, context, event, bytes)) {
            bind(context, call.communicator);
            return std::exchange(call.callId, 0);
        }
    }
    return 0;
}

std::uint64_t callOf(NcclThread& nccl, Context& context, const Event& event)
{
    constexpr unsigned kFirstThatTells = 5;
    if (event.version >= kFirstThatTells) {
        return Handle(event.parent).idOf(Kind::Call);
    }
    if (!nccl.inside) {
        return 0;
    }
    if (nccl.callId == 0) {
        return callInGroup(nccl, context, event);
    }
    bind(context, nccl.communicator);
    return nccl.callId;
}

/// Returns the start of the call in which the thread is; 0 if it is in none.
std::uint64_t enclosingStart(const ThreadState& thread)
{
    return thread.nccl.inside ? thread.inFlight().startTicks : 0;
}

void addLaunch(const ThreadState& thread, const Context& context, Operation& operation)
{
    const NcclThread& nccl = thread.nccl;
    if (nccl.launchContext == &context && nccl.launchStartTicks >= enclosingStart(thread)) {
        operation.launchStartTicks = nccl.launchStartTicks;
        operation.launchEndTicks = nccl.launchEndTicks;
    }
}

void learnFromVersion3(Context& context, const Event& event)
{
    if (event.communicatorHash != 0) {
        context.hash.store(event.communicatorHash, std::memory_order_relaxed);
    }
}

void untieLaunch(ThreadState& thread)
{
    if (std::exchange(thread.nccl.launchTied, false)) {
        popCorrelation();
    }
}

void addDetail(const Event& event, Operation& operation)
{
    operation.userTag = event.userTag;
    operation.kernelVariant = registry().intern(textOf(event.kernelVariant));
    operation.symmetric = event.symmetric ? static_cast<std::uint8_t>(*event.symmetric) : trace::kUnknownFlag;
    operation.intraBatchSync = trace::kUnknownFlag;
    if (event.type == kCeColl) {
        operation.intraBatchSync = static_cast<std::uint8_t>(event.ceColl.intraBatchSync);
        operation.batches = event.ceColl.batches;
    }
}

/// Without anything to tell there is no record: usual collectives stay as cheap as before.
void writeDetail(ThreadState& thread, const Place& place)
{
    const Operation& operation = place.operation;
    const bool tells =
        operation.userTag != 0 || operation.symmetric == 1 || operation.intraBatchSync != trace::kUnknownFlag;
    auto* const record = tells ? thread.ring->reserve<trace::NcclDetailRecord>() : nullptr;
    if (record == nullptr) {
        return;
    }
    record->operation = place.handle().id();
    record->userTag = operation.userTag;
    record->copiedBytes = operation.copiedBytes;
    record->kernelVariant = operation.kernelVariant;
    record->batches = operation.batches;
    record->copies = operation.copies;
    record->syncs = operation.syncs;
    record->isSymmetric = operation.symmetric;
    record->hasIntraBatchSync = operation.intraBatchSync;
    thread.ring->commit(record, trace::RecordKind::NcclDetail);
}

std::uint64_t nextOperation()
{
    static constinit std::atomic<std::uint64_t> next{1};
    return next.fetch_add(1, std::memory_order_relaxed);
}

} // namespace

const trace::DatatypeEntry* datatypeOf(const char* name)
{
    const std::string_view text = textOf(name) == kNameOfUint8 ? "ncclUint8" : textOf(name);
    const auto* const found = std::ranges::find(trace::kDatatypes, text, &trace::DatatypeEntry::nccl);
    return found != trace::kDatatypes.end() ? found : nullptr;
}

std::int32_t peerOf(const Event& event)
{
    const bool transfer = event.type == kP2p || event.type == kP2pApi;
    const bool rooted = trace::collectiveOf(textOf(event.coll.function)).rooted;
    return transfer || rooted ? event.coll.root : -1; // NCCL reports 0 for other functions
}

Place* beginOperation(ThreadState& thread, Context& context, const Event& event)
{
    Place* const place = pool().take(Kind::Operation, nextOperation());
    if (place == nullptr) {
        return nullptr;
    }
    learnFromVersion3(context, event);
    place->context.store(&context, std::memory_order_relaxed);
    place->type = static_cast<EventType>(event.type);
    Operation& operation = place->operation;
    operation = {};
    operation.startTicks = ticks();
    operation.callId = callOf(thread.nccl, context, event);
    operation.sequence = event.type == kP2p ? trace::kUnknownNumber : event.coll.sequence;
    operation.bytes = bytesOf(event);
    operation.function = registry().intern(textOf(event.coll.function));
    operation.algorithm = registry().intern(textOf(event.coll.algorithm));
    operation.protocol = registry().intern(textOf(event.coll.protocol));
    operation.peer = peerOf(event);
    operation.channels = event.coll.channels;
    addDetail(event, operation);
    if (event.type != kCeColl) {
        addLaunch(thread, context, operation);
        if (ncclKernels().areTimed()) {
            place->toBeTimedNs.store(readClockNs(CLOCK_MONOTONIC), std::memory_order_relaxed);
        }
    }
    place->notBeforeTicks.store(operation.launchStartTicks != 0 ? operation.launchStartTicks
                                                                : enclosingStart(thread),
                                std::memory_order_relaxed);
    return place;
}

void addCopies(Handle collective, const Event& event)
{
    Place* const place = pool().find(collective);
    if (place == nullptr || place->type != kCeColl) {
        return;
    }
    if (event.type == kCeSync) {
        ++place->operation.syncs;
    } else {
        place->operation.copies += static_cast<std::uint32_t>(event.ceBatch.copies);
        place->operation.copiedBytes += event.ceBatch.bytes;
    }
}

void endOperation(ThreadState& thread, const Place& place)
{
    writeDetail(thread, place);
    auto* const record = thread.ring->reserve<trace::NcclOperationRecord>();
    if (record == nullptr) {
        return;
    }
    const Operation& operation = place.operation;
    const Context& context = *place.context.load(std::memory_order_relaxed);
    const Communicator* const communicator = context.communicator.load(std::memory_order_relaxed);
    record->operation = place.handle().id();
    record->callId = operation.callId;
    record->startTicks = operation.startTicks;
    record->endTicks = ticks();
    record->launchStartTicks = operation.launchStartTicks;
    record->launchEndTicks = operation.launchEndTicks;
    record->ncclSequence = operation.sequence;
    record->bytes = operation.bytes;
    record->communicator = communicator != nullptr ? communicator->id : 0;
    record->function = operation.function;
    record->algorithm = operation.algorithm;
    record->protocol = operation.protocol;
    record->peer = operation.peer;
    record->channels = operation.channels;
    thread.ring->commit(record, trace::RecordKind::NcclOperation);
}

// A group on non-blocking communicators is launched by a thread that NCCL creates for it
// (groupLaunchNonBlocking in src/group.cc). Calling threads have linked their own launches already.
void beginLaunch(ThreadState& thread, const Context& context, const Event& event)
{
    const bool ofCaller = thread.nccl.inside || thread.nccl.foreign.groupId != 0;
    const std::uint64_t tiedTo = ofCaller ? 0 : pool().launchesOf(Handle(event.parent));
    if (tiedTo != 0 && g_deviceTierOn.load(std::memory_order_acquire)) {
        untieLaunch(thread);
        pushCorrelation(tiedTo);
        thread.nccl.launchTied = true;
    }
    thread.nccl.launchContext = &context;
    thread.nccl.launchEndTicks = 0;
    thread.nccl.launchStartTicks = ticks();
}

void endLaunch(ThreadState& thread)
{
    thread.nccl.launchEndTicks = ticks();
    untieLaunch(thread);
}

} // namespace ringside::collector::profiler
