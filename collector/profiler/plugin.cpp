// SPDX-License-Identifier: Apache-2.0
// The profiler plugin itself: what NCCL finds under ncclProfiler_v3 to _v6 and calls. Nothing here may fail
// NCCL: an event that we do not keep gets no handle, and NCCL then says no more about it.
#include "profiler/plugin.h"

#include "profiler/api_calls.h"
#include "profiler/deep_events.h"
#include "profiler/observe.h"

#include <utility>

namespace ringside::collector::profiler {
namespace {

constinit EventPool g_pool;
constinit Contexts g_contexts;
constinit std::atomic<unsigned> g_version{0};

/// The thread if it may leave records now: not while one of its own is half written, as when NCCL is called
/// from a signal handler.
ThreadState* eventThread()
{
    if (g_phase.load(std::memory_order_acquire) != Phase::Recording || isPaused()) {
        return nullptr;
    }
    ThreadState* const state = t_thread.state;
    if (t_thread.depth == 0) {
        return state != nullptr ? state : recordingThread();
    }
    return state != nullptr && state->nccl.inside && !state->nccl.inPlugin ? state : nullptr;
}

/// A call past the wrappers while recording is paused: calls are counted all the same.
bool isUnrecordedCall(const Event& event)
{
    return isPaused() && (event.type == kCollApi || event.type == kP2pApi) && t_thread.depth == 0 &&
           g_phase.load(std::memory_order_acquire) == Phase::Recording;
}

/// While the thread is in our part of a callback.
class InPlugin final {
public:
    explicit InPlugin(ThreadState& thread) : m_thread(thread) { thread.nccl.inPlugin = true; }
    ~InPlugin() { m_thread.nccl.inPlugin = false; }
    InPlugin(const InPlugin&) = delete;
    InPlugin& operator=(const InPlugin&) = delete;

private:
    const Inside m_inside;
    ThreadState& m_thread;
};

/// A call's event tells whose context this is where one of our wrappers stands around the call.
Handle beginCall(ThreadState& thread, Context& context, const Event& event)
{
    if (!thread.nccl.inside) {
        return beginForeignCall(thread, context, event);
    }
    if (thread.nccl.callId == 0) {
        return {};
    }
    bind(context, thread.nccl.communicator);
    return {Kind::Call, Handle::kNoPlace, thread.nccl.callId};
}

Handle handleOf(const Place* place)
{
    return place != nullptr ? place->handle() : Handle();
}

/// The events of a call and its operations, on the thread that calls.
Handle beginOnCaller(ThreadState& thread, Context& context, const Event& event)
{
    switch (event.type) {
    case kGroupApi:
        return thread.nccl.inside ? Handle() : beginForeignGroup(thread, event);
    case kCollApi:
    case kP2pApi:
        return beginCall(thread, context, event);
    case kKernelLaunch:
        beginLaunch(thread, context);
        return {Kind::Launch, Handle::kNoPlace, 0};
    case kColl:
    case kP2p:
    case kCeColl:
        return handleOf(beginOperation(thread, context, event));
    default:
        return {};
    }
}

Handle begin(ThreadState& thread, Context* context, const Event& event)
{
    switch (event.type) {
    case kProxyOp:
        return handleOf(beginProxyOperation(context, event));
    case kProxyStep:
        return handleOf(beginProxyMessage(event));
    case kKernelCh:
        return context != nullptr ? handleOf(beginChannel(*context, event)) : Handle();
    default:
        return context != nullptr ? beginOnCaller(thread, *context, event) : Handle();
    }
}

void endPlaced(ThreadState& thread, const Place& place)
{
    switch (place.type) {
    case kColl:
    case kP2p:
    case kCeColl:
        return endOperation(thread, place);
    case kKernelCh:
        return endChannel(thread, place);
    case kProxyStep:
        return endProxyMessage(thread, place);
    default:
        return;
    }
}

void end(ThreadState& thread, Handle handle, const Place* place)
{
    if (place != nullptr) {
        endPlaced(thread, *place);
    } else if (handle.kind() == Kind::Launch) {
        endLaunch(thread);
    } else if (handle.kind() == Kind::Call) {
        endForeignCall(thread, handle);
    } else if (handle.kind() == Kind::Group) {
        endForeignGroup(thread, handle);
    }
}

// ---- what NCCL calls ----

struct Member {
    std::uint64_t hash = 0;
    const char* name = nullptr;
    int ranks = 0;
    int rank = -1;
};

Result open(unsigned version, void** context, int* mask, const Member& member)
{
    if (context == nullptr || mask == nullptr) {
        return kSuccess;
    }
    *context = nullptr;
    recordingThread(); // the first that is seen of a NCCL which no wrapper stands in front of
    if (g_phase.load(std::memory_order_acquire) != Phase::Recording) {
        *mask = 0;
        return kSuccess;
    }
    *context = g_contexts.open(version, mask, member.ranks, member.rank, member.hash, member.name);
    g_version.store(version);
    *mask = *context != nullptr ? static_cast<int>(wantedEvents(version, level())) : 0;
    return kSuccess;
}

Result start(void* context, void** handle, const Event& event)
{
    if (handle == nullptr) {
        return kSuccess;
    }
    *handle = nullptr;
    if (isUnrecordedCall(event) && context != nullptr) {
        countForeignCall(*static_cast<Context*>(context));
    }
    if (ThreadState* const thread = eventThread(); thread != nullptr) {
        const InPlugin inPlugin(*thread);
        *handle = begin(*thread, static_cast<Context*>(context), event).pointer();
    }
    return kSuccess;
}

Result stop(void* pointer)
{
    const Handle handle(pointer);
    Place* const place = g_pool.find(handle);
    if (ThreadState* const thread = eventThread(); thread != nullptr) {
        const InPlugin inPlugin(*thread);
        end(*thread, handle, place);
    }
    if (place != nullptr) {
        EventPool::giveBack(*place);
    }
    return kSuccess;
}

Result noteState(void* pointer, State state, const StateDetails& details)
{
    const Handle handle(pointer);
    if (Place* const place = g_pool.find(handle); place != nullptr) {
        noteState(*place, state, details);
    } else if (ThreadState* const thread = eventThread();
               thread != nullptr && state == State::GroupEndApiStart && handle.kind() == Kind::Group) {
        const InPlugin inPlugin(*thread);
        launchForeignGroup(*thread, handle);
    }
    return kSuccess;
}

Result stateV3(void* handle, State state, StateArgumentsV3*)
{
    return noteState(handle, state, {trace::kUnknownNumber, 0});
}

Result stateLater(void* handle, State state, StateArguments* arguments)
{
    StateDetails details{trace::kUnknownNumber, 0};
    if (arguments != nullptr && state == State::KernelChStop) {
        details.deviceEndNs = arguments->kernelCh.timer;
    } else if (arguments != nullptr) {
        details.bytes = arguments->proxyStep.bytes;
    }
    return noteState(handle, state, details);
}

Result close(void* pointer)
{
    if (auto* const context = static_cast<Context*>(pointer); context != nullptr) {
        g_contexts.close(*context);
        g_pool.giveBackAll(*context);
    }
    return kSuccess;
}

Result initV3(void** context, int* mask)
{
    return open(3, context, mask, {});
}

Result initV4(void** context, int* mask, const char* name, std::uint64_t hash, int, int ranks, int rank,
              Logger)
{
    return open(4, context, mask, {hash, name, ranks, rank});
}

template <unsigned Version>
Result initLater(void** context, std::uint64_t hash, int* mask, const char* name, int, int ranks, int rank,
                 Logger)
{
    return open(Version, context, mask, {hash, name, ranks, rank});
}

template <class Descriptor>
Result startOlder(void* context, void** handle, Descriptor* descriptor)
{
    return descriptor != nullptr ? start(context, handle, eventOf(*descriptor)) : kSuccess;
}

template <unsigned Version>
Result startLater(void* context, void** handle, DescriptorV6* descriptor)
{
    return descriptor != nullptr ? start(context, handle, eventOf(*descriptor, Version)) : kSuccess;
}

} // namespace

EventPool& pool()
{
    return g_pool;
}

Contexts& contexts()
{
    return g_contexts;
}

unsigned versionInUse()
{
    return g_version.load();
}

void noteCommunicator(Communicator* communicator)
{
    const ThreadState* const thread = t_thread.state;
    if (communicator == nullptr || thread == nullptr || thread->inFlight().api.load() == 0) {
        return; // it is met for the first time, not made: its first call says more
    }
    Context* const context = g_contexts.unboundSince(
        thread->inFlight().startTicks, communicator->identity.size, communicator->identity.rank);
    if (context != nullptr) {
        bind(*context, communicator);
    }
}

std::uint64_t wantedEvents(unsigned version, Level level)
{
    std::uint64_t wanted = kColl | kP2p;
    wanted |= version >= 5 ? kGroupApi | kCollApi | kP2pApi | kKernelLaunch : std::uint64_t{0};
    wanted |= version >= 6 ? kCeColl : std::uint64_t{0};
    if (level >= Level::Deep) {
        wanted |= kProxyOp | kProxyStep;
        wanted |= version >= 4 ? kKernelCh : std::uint64_t{0}; // version 3 does not tell the GPU's times
    }
    return wanted;
}

} // namespace ringside::collector::profiler

// NOLINTBEGIN(readability-identifier-naming): NCCL looks for these names
#define RINGSIDE_PLUGIN(version, init, start, state)                                                         \
    extern "C" __attribute__((visibility("default")))                                                        \
    const ringside::collector::profiler::PluginV##version ncclProfiler_v##version;                           \
    constinit const ringside::collector::profiler::PluginV##version ncclProfiler_v##version = {              \
        "Ringside",                                                                                          \
        &ringside::collector::profiler::init,                                                                \
        &ringside::collector::profiler::start,                                                               \
        &ringside::collector::profiler::stop,                                                                \
        &ringside::collector::profiler::state,                                                               \
        &ringside::collector::profiler::close};

RINGSIDE_PLUGIN(3, initV3, startOlder, stateV3)
RINGSIDE_PLUGIN(4, initV4, startOlder, stateLater)
RINGSIDE_PLUGIN(5, initLater<5>, startLater<5>, stateLater)
RINGSIDE_PLUGIN(6, initLater<6>, startLater<6>, stateLater)
// NOLINTEND(readability-identifier-naming)
