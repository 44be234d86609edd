// SPDX-License-Identifier: Apache-2.0
// Wrappers of NCCL: data calls, groups, creation and destruction of communicators. Each data call gets
// an id and a sequence number in its communicator, also while recording is paused. A kernel launch
// belongs to the call, or to the group whose outermost ncclGroupEnd made it.
#include "calls/graphs.h"
#include "calls/wrapper.h"
#include "device/correlation.h"
#include "device/event_timing.h"
#include "intercept/communicators.h"
#include "profiler/plugin.h"

#include <cstring>

namespace ringside::collector {
namespace {

// Numbers that a data call gets before it runs.
struct CollectiveNumbers {
    std::uint64_t callId;
    std::uint64_t sequence;
    Communicator* communicator; ///< null: there was no room for another one
    std::uint32_t communicatorId;
    std::int32_t device; ///< of the communicator, which may not be the thread's current one
    std::uint32_t graph; ///< into which it is captured, 0: it runs
};

CollectiveNumbers number(ThreadState& thread, const Collective& what)
{
    Communicator* communicator = communicatorOf(what.communicator);
    thread.groupCalls += thread.groupDepth > 0 ? 1 : 0;
    return {nextCallId(),
            communicator != nullptr ? communicator->nextSequence.fetch_add(1, std::memory_order_relaxed) : 0,
            communicator,
            communicator != nullptr ? communicator->id : 0,
            communicator != nullptr ? communicator->identity.device : -1,
            noteCapture(what.stream, communicator)};
}

// NCCL has accepted it. A configuration that asks for nothing leaves no record.
[[gnu::cold, gnu::noinline]] void writeConfig(ThreadState& thread, const ncclCollConfig_t* config,
                                              std::uint64_t callId)
{
    using abi::CallConfigPrefix;
    const auto* const known = reinterpret_cast<const CallConfigPrefix*>(config);
    constexpr std::size_t kFirst = offsetof(CallConfigPrefix, launchCompletionEvent);
    if (known->magic != abi::CommunicatorConfigPrefix::kMagic || known->size < kFirst) {
        return;
    }
    constexpr std::size_t kLongest = 256;
    const char* const algorithms = known->algSelection;
    const bool hasEvent = known->size >= sizeof *known && known->launchCompletionEvent != nullptr;
    const auto isSet = [](int value) { return value != CallConfigPrefix::kUnset; };
    if (algorithms == nullptr && !hasEvent && known->userProfilerTag == 0 && !isSet(known->minCTAs) &&
        !isSet(known->maxCTAs) && !isSet(known->nvlsCTAs) && !isSet(known->cgaClusterSize) &&
        !isSet(known->CTAPolicy)) {
        return;
    }
    const StringId names =
        algorithms == nullptr ? 0 : registry().intern({algorithms, strnlen(algorithms, kLongest)});
    auto* const record = thread.ring->reserve<trace::CallConfigRecord>();
    if (record == nullptr) {
        return;
    }
    record->callId = callId;
    record->userTag = known->userProfilerTag;
    record->algorithms = names;
    record->minCtas = known->minCTAs;
    record->maxCtas = known->maxCTAs;
    record->nvlsCtas = known->nvlsCTAs;
    record->clusterSize = known->cgaClusterSize;
    record->ctaPolicy = known->CTAPolicy;
    record->isForced = known->forceAlgSelection == 1 ? 1 : 0;
    record->hasLaunchEvent = hasEvent ? 1 : 0;
    thread.ring->commit(record, trace::RecordKind::CallConfig);
}

void writeCollective(ThreadState& thread, Api api, const Collective& what, const CallTimes& times,
                     const CollectiveNumbers& numbers)
{
    // A group is recorded as a whole or not at all. What held when it began decides.
    if (!(thread.groupDepth > 0 ? thread.groupWanted : times.wanted)) {
        return;
    }
    const std::uint32_t stream = streamId(thread, what.stream, [&numbers] { return numbers.device; });
    auto* record = thread.ring->reserve<trace::CollectiveRecord>();
    if (record == nullptr) {
        return;
    }
    fillCall(record->call, api, times);
    record->callId = numbers.callId;
    record->sequence = numbers.sequence;
    record->count = what.count;
    record->groupId = thread.groupDepth > 0 ? thread.groupId : 0;
    record->communicator = numbers.communicatorId;
    record->stream = stream;
    record->peer = what.peer;
    record->datatype = static_cast<std::uint16_t>(what.datatype);
    record->reduction = static_cast<std::uint16_t>(what.reduction);
    record->graph = numbers.graph;
    thread.ring->commit(record, trace::RecordKind::Collective);
    if (what.config != nullptr && (times.result == ncclSuccess || times.result == ncclInProgress)) {
        writeConfig(thread, what.config, numbers.callId);
    }
}

void writeGroup(ThreadState& thread, Api api, const CallTimes& times)
{
    auto* record = thread.groupWanted ? thread.ring->reserve<trace::GroupRecord>() : nullptr;
    if (record == nullptr) {
        return;
    }
    fillCall(record->call, api, {thread.groupStartTicks, times.end, times.result, true});
    record->groupId = thread.groupId;
    record->calls = thread.groupCalls;
    record->endCallStartTicks = times.start;
    thread.ring->commit(record, trace::RecordKind::Group);
}

// Keeps the calls of a group for the profiler plugin.
void remember(ThreadState& thread, Api api, const Collective& what, const CollectiveNumbers& numbers)
{
    NcclThread& nccl = thread.nccl;
    if (thread.groupDepth > 0 && nccl.groupedCalls < nccl.grouped.size()) {
        nccl.grouped[nccl.groupedCalls++] = {numbers.callId, numbers.communicator,
                                             what.count,     stringIdOf(api),
                                             what.peer,      static_cast<std::uint32_t>(what.datatype)};
    }
}

bool made(std::int32_t result)
{
    return result == ncclSuccess || result == ncclInProgress;
}

Promise promiseOf(const ThreadState& thread, std::int32_t result)
{
    const bool grouped = thread.groupDepth > 0;
    return {result == ncclSuccess && !grouped, grouped ? thread.groupId : 0};
}

// The first calls on a non-blocking communicator return ncclInProgress. A later one may be complete when
// it returns.
void noteProgress(Communicator* communicator, std::int32_t result)
{
    if (result == ncclInProgress && communicator != nullptr) [[unlikely]] {
        communicator->blocking.store(false, std::memory_order_relaxed);
    }
}

// On a non-blocking communicator a thread of NCCL launches the kernels. Only NCCL's profiler interface
// says for which call (profiler/operations.cpp).
void countUntied(std::uint64_t calls)
{
    constexpr unsigned kFirstThatTells = 5;
    if (g_deviceTierOn.load(std::memory_order_relaxed) && profiler::versionInUse() < kFirstThatTells) {
        g_untiedCalls.fetch_add(calls, std::memory_order_relaxed);
    }
}

// Recorded while the call is in flight: recording an event waits where the stream's queue is full. A
// non-blocking communicator (ncclInProgress) launches later, after the second event.
template <class Call>
auto timedByEvents(ThreadState& thread, cudaStream_t stream, const CollectiveNumbers& numbers, Call&& call)
{
    if (!wantsEventTimes()) [[likely]] {
        return call();
    }
    if (thread.groupDepth > 0) {
        noteStreamOfGroup(thread, stream, numbers.device);
        return call();
    }
    EventPair* const pair = beginEventTime(thread, numbers.callId, stream, numbers.device);
    const auto result = call();
    endEventTime(pair, stream, result == ncclSuccess);
    return result;
}

} // namespace

// Not in the anonymous namespace: intercept() finds these by argument-dependent lookup.
template <class Call>
auto record(ThreadState& thread, Api api, const Collective& what, Call& call)
{
    const CollectiveNumbers numbers = number(thread, what);
    const CorrelationScope correlation(thread.groupDepth == 0 ? numbers.callId : 0);
    trace::InFlight& slot = thread.inFlight();
    describeCollective(slot, numbers.communicatorId, numbers.sequence, what.count);
    remember(thread, api, what, numbers);
    const auto observed = [&] {
        return timedByEvents(thread, what.stream, numbers, [&] {
            const InsideNccl inside(thread.nccl, numbers.callId, numbers.communicator);
            return call();
        });
    };
    const auto result = timedCall(thread, api, observed, [&](const CallTimes& times) {
        writeCollective(thread, api, what, times, numbers);
        noteProgress(numbers.communicator, times.result);
        if (thread.groupDepth == 0 && numbers.communicator != nullptr &&
            !numbers.communicator->blocking.load(std::memory_order_relaxed)) [[unlikely]] {
            countUntied(1);
        }
    });
    leaveCollective(slot);
    return result;
}

template <class Call>
auto record(ThreadState& thread, Api api, const GroupStart&, Call& call)
{
    return timedCall(thread, api, call, [&](const CallTimes& times) {
        if (times.result == ncclSuccess && thread.groupDepth++ == 0) {
            thread.groupWanted = times.wanted;
            thread.groupId = nextCallId();
            thread.groupCalls = 0;
            thread.groupStartTicks = times.start;
            thread.nccl.groupedCalls = 0;
            thread.groupStreams.count = 0;
        }
    });
}

template <class Call>
auto record(ThreadState& thread, Api api, const GroupEnd&, Call& call)
{
    const CorrelationScope correlation(thread.groupDepth == 1 ? thread.groupId : 0);
    const auto observed = [&] {
        const InsideNccl inside(thread.nccl, 0, nullptr);
        return call();
    };
    const auto timed = [&] {
        const bool launches = thread.groupDepth == 1 && api == Api::ncclGroupEnd;
        if (!launches || thread.groupStreams.count == 0 || !wantsEventTimes()) [[likely]] {
            return observed();
        }
        GroupEventTimes times(thread);
        const auto result = observed();
        times.end(result == ncclSuccess);
        return result;
    };
    return timedCall(thread, api, timed, [&](const CallTimes& times) {
        if (thread.groupDepth > 0 && --thread.groupDepth == 0) {
            writeGroup(thread, api, times);
            if (times.result == ncclInProgress) [[unlikely]] {
                countUntied(thread.groupCalls);
            }
            noteEndOfGroup(thread.groupId, static_cast<ncclResult_t>(times.result));
        }
    });
}

// What a call that makes a communicator waits for: `members` ranks, or the members of `parent`.
template <class Call, class Write>
auto timedSetup(ThreadState& thread, Api api, int members, const Communicator* parent, Call& call,
                Write&& write)
{
    trace::InFlight& slot = thread.inFlight();
    describeCollective(slot, parent != nullptr ? parent->id : 0, trace::kNoSequence,
                       members > 0 ? static_cast<std::uint64_t>(members) : 0);
    const auto result = timedCall(thread, api, call, write);
    leaveCollective(slot);
    return result;
}

template <class Call>
auto record(ThreadState& thread, Api api, const NewCommunicator& what, Call& call)
{
    return timedSetup(thread, api, what.size, nullptr, call, [&](const CallTimes& times) {
        if (made(times.result)) {
            noteCommunicator(what);
        }
        if (times.result == ncclInProgress && what.handle != nullptr) {
            noteProgress(communicatorOf(*what.handle), times.result);
        }
        writeIfWanted(thread, api, times);
    });
}

template <class Call>
auto record(ThreadState& thread, Api api, const NewCommunicators& what, Call& call)
{
    return timedCall(thread, api, call, [&](const CallTimes& times) {
        if (made(times.result) && what.handles != nullptr) {
            noteCommunicators(what);
        }
        writeIfWanted(thread, api, times);
    });
}

template <class Call>
auto record(ThreadState& thread, Api api, const ChildCommunicator& what, Call& call)
{
    const std::uint64_t child = nextChild(what.parent);
    return timedSetup(thread, api, 0, communicatorOf(what.parent), call, [&](const CallTimes& times) {
        if (made(times.result)) {
            noteChild(what, child, promiseOf(thread, times.result));
        }
        writeIfWanted(thread, api, times);
    });
}

template <class Call>
auto record(ThreadState& thread, Api api, const GrownCommunicator& what, Call& call)
{
    return timedCall(thread, api, call, [&](const CallTimes& times) {
        if (made(times.result)) {
            noteGrown(what, promiseOf(thread, times.result));
        }
        writeIfWanted(thread, api, times);
    });
}

template <class Call>
auto record(ThreadState& thread, Api api, const EndOfCommunicator& what, Call& call)
{
    // Done before the real call: after it another thread may already have been given the same handle.
    registry().forgetCommunicator(reinterpret_cast<std::uint64_t>(what.communicator));
    return recordIfWanted(thread, api, call);
}

} // namespace ringside::collector

#define RS_API(result, name, parameters, arguments, what)                                                    \
    RINGSIDE_WRAPPER(Nccl, ncclInvalidUsage, result, name, parameters, arguments, what)
#include "api/nccl_api.def"
#undef RS_API
