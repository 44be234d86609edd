// SPDX-License-Identifier: Apache-2.0
#include "profiler/callbacks.h"

#include "profiler/api_calls.h"
#include "profiler/deep_events.h"
#include "profiler/plugin.h"
#include "record/nccl_kernels.h"

#include <unistd.h>

namespace ringside::collector::profiler {
namespace {

constinit EventPool g_pool;
constinit Contexts g_contexts;
constinit Chain g_chain;
constinit std::atomic<unsigned> g_version{0};

bool isRecording()
{
    return g_gate.isRecording();
}

/// Returns the thread if it can write records now. It cannot while it is writing one, for example if NCCL is
/// called from a signal handler.
ThreadState* eventThread()
{
    if (!isRecording() || isPaused()) {
        return nullptr;
    }
    ThreadState* const state = t_thread.state;
    if (t_thread.depth == 0) {
        return state != nullptr ? state : recordingThread();
    }
    return state != nullptr && state->nccl.inside && !state->nccl.inPlugin ? state : nullptr;
}

/// A call without a wrapper while recording is paused. Calls are counted nevertheless.
bool isUnrecordedCall(const Event& event)
{
    return isPaused() && (event.type == kCollApi || event.type == kP2pApi) && t_thread.depth == 0 &&
           isRecording();
}

/// Outside of deep windows only the length of a kernel counts.
bool isTimedOnly(const Event& event)
{
    return event.type == kKernelCh && level() < Level::Deep && isRecording();
}

/// Set while the thread is in the collector's part of a callback.
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

/// If the call has a wrapper, its event shows which communicator this context belongs to.
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

/// The id to which launches belong: that of the group between the wrapper's start and end, or of the single
/// call.
Handle beginGroup(ThreadState& thread, Context& context, const Event& event)
{
    if (!thread.nccl.inside) {
        return beginForeignGroup(thread, context, event);
    }
    const std::uint64_t id = thread.groupDepth > 0 ? thread.groupId : thread.nccl.callId;
    return id != 0 ? Handle(Kind::Group, Handle::kNoPlace, id) : Handle();
}

/// NCCL 2.26.2 to 2.27.7 reports collectives and transfers only if the event of their group has a handle.
constexpr unsigned kFirstWithoutGate = 5; // interface version of NCCL 2.28

Handle beginTasks(const Event& event)
{
    return event.version < kFirstWithoutGate ? Handle(Kind::Other, Handle::kNoPlace, g_pool.nextId())
                                             : Handle();
}

Handle handleOf(const Place* place)
{
    return place != nullptr ? place->handle() : Handle();
}

/// Events of a call and its operations, on the calling thread.
Handle beginOnCaller(ThreadState& thread, Context& context, const Event& event)
{
    switch (event.type) {
    case kGroup:
        return beginTasks(event);
    case kGroupApi:
        return beginGroup(thread, context, event);
    case kCollApi:
    case kP2pApi:
        return beginCall(thread, context, event);
    case kKernelLaunch:
        beginLaunch(thread, context, event);
        return {Kind::Launch, Handle::kNoPlace, g_pool.nextId()};
    case kColl:
    case kP2p:
    case kCeColl:
        return handleOf(beginOperation(thread, context, event));
    default:
        return {};
    }
}

/// Events of deep windows, which may also be wanted by the chained plugin only.
Handle beginDeep(Context* context, const Event& event)
{
    if (level() < Level::Deep) {
        return {};
    }
    switch (event.type) {
    case kProxyOp:
        return handleOf(beginProxyOperation(context, event));
    case kProxyStep:
        return handleOf(beginProxyMessage(event));
    case kKernelPhase:
        return handleOf(beginPhase(event));
    default:
        return context != nullptr ? handleOf(beginChannel(*context, event)) : Handle();
    }
}

Handle begin(ThreadState& thread, Context* context, const Event& event)
{
    if ((event.type & (kProxyOp | kProxyStep | kKernelCh | kKernelPhase)) != 0) {
        return beginDeep(context, event);
    }
    if ((event.type & (kCeSync | kCeBatch)) != 0) {
        addCopies(Handle(event.parent), event);
        return {};
    }
    return context != nullptr ? beginOnCaller(thread, *context, event) : Handle();
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
    case kKernelPhase:
        return endPhase(thread, place);
    case kProxyStep:
        return endProxyMessage(thread, place);
    case kGroupApi:
        return endForeignGroup(thread, place.handle());
    default:
        return;
    }
}

void end(ThreadState& thread, Handle handle, const Place* place)
{
    if (place != nullptr && place->type != 0) {
        endPlaced(thread, *place);
    } else if (handle.kind() == Kind::Launch) {
        endLaunch(thread);
    } else if (handle.kind() == Kind::Call) {
        endForeignCall(thread, handle);
    } else if (handle.kind() == Kind::Group) {
        endForeignGroup(thread, handle);
    }
}

/// Returns the context of an event, or null if it belongs to another process and must not be read.
Context* contextOf(Context* passed, const Event& event)
{
    if (event.type == kProxyOp) {
        return event.proxyOp.pid == getpid() ? passed : nullptr;
    }
    if (event.type == kProxyStep || event.type == kNetPlugin) { // NCCL takes their context from the operation
        const Place* const parent = g_pool.find(Handle(event.parent));
        return parent != nullptr ? parent->context.load(std::memory_order_relaxed) : nullptr;
    }
    return passed;
}

/// Returns a place for the handle of the chained plugin: that of the collector's event, if there is one.
Place* placeFor(Handle ours, Context& context)
{
    if (Place* const place = g_pool.find(ours); place != nullptr) {
        return place;
    }
    const bool known = ours.kind() != Kind::None;
    Place* const place = g_pool.take(known ? ours.kind() : Kind::Other, known ? ours.id() : g_pool.nextId());
    if (place != nullptr) {
        place->context.store(&context, std::memory_order_relaxed);
    }
    return place;
}

/// NCCL would not have called the chained plugin, because it passed no handle for the group.
bool isBehindGate(const Event& event)
{
    return event.version < kFirstWithoutGate && (event.type == kColl || event.type == kP2p) &&
           g_pool.theirsOf(Handle(event.parent)) == nullptr;
}

/// Passes an event to the chained plugin, and returns the handle that represents both.
Handle forward(Context* passed, const Event& event, Handle ours)
{
    if (!g_chain.active() || !g_chain.serves(event.type) || isBehindGate(event)) {
        return ours;
    }
    Context* const context = contextOf(passed, event);
    Place* const place = context != nullptr && context->chained ? placeFor(ours, *context) : nullptr;
    if (place == nullptr) {
        return ours;
    }
    void* const theirs = g_chain.start(context->theirs, event, g_pool.theirsOf(Handle(event.parent)),
                                       g_pool.theirsOf(Handle(event.group)));
    place->theirs.store(theirs, std::memory_order_release);
    const Handle both = place->handle();
    if (theirs == nullptr && place->type == 0) {
        EventPool::giveBack(*place);
        return ours;
    }
    return both;
}

Result openChained(Context& context, const Opening& opening)
{
    if (!g_chain.speaks(context.version)) {
        return kSuccess;
    }
    const Result result = g_chain.open(&context.theirs, opening);
    context.chained = result == kSuccess;
    if (!context.chained) {
        g_chain.fail("the profiler plugin behind ours refused a communicator with result " +
                     std::to_string(result));
    }
    return result;
}

} // namespace

Result open(unsigned version, void** context, int* mask, const Opening& opening)
{
    if (context == nullptr || mask == nullptr) {
        return kSuccess;
    }
    *context = nullptr;
    *mask = 0;
    recordingThread(); // the first sign of an NCCL that has no wrappers
    const Inside inside;
    g_chain.load(version);
    if (!isRecording() && !g_chain.active()) {
        return kSuccess;
    }
    Context* const made =
        g_contexts.open(version, mask, opening.ranks, opening.rank, opening.hash, opening.name);
    if (made == nullptr) {
        return kSuccess;
    }
    const Result theirs = openChained(*made, opening);
    g_version.store(version);
    *context = made;
    *mask = static_cast<int>(maskFor(version));
    return isRecording() ? kSuccess : theirs;
}

Result start(void* passed, void** handle, const Event& event)
{
    if (handle == nullptr) {
        return kSuccess;
    }
    auto* const context = static_cast<Context*>(passed);
    if (event.captured && event.type == kGroupApi && ncclKernels().areTimed()) {
        ncclKernels().leaveOutFromNowOn(); // captured by a runtime without wrappers
    }
    if (isUnrecordedCall(event) && context != nullptr) {
        countForeignCall(*context);
    }
    Handle given;
    if (isTimedOnly(event)) {
        given = context != nullptr ? handleOf(beginTimedKernel(*context, event)) : Handle();
    } else if (ThreadState* const thread = eventThread(); thread != nullptr) {
        const InPlugin inPlugin(*thread);
        given = begin(*thread, context, event);
    }
    const Inside inside;
    *handle = forward(context, event, given).pointer();
    return kSuccess;
}

Result stop(void* pointer)
{
    const Handle handle(pointer);
    Place* const place = g_pool.find(handle);
    if (place != nullptr && place->type == kKernelCh && place->channel.enqueuedNs != 0) {
        endTimedKernel(*place);
    } else if (ThreadState* const thread = eventThread(); thread != nullptr) {
        const InPlugin inPlugin(*thread);
        end(*thread, handle, place);
    }
    if (place == nullptr) {
        return kSuccess;
    }
    if (void* const theirs = place->theirs.load(std::memory_order_acquire); theirs != nullptr) {
        const Inside inside;
        g_chain.stop(theirs);
    }
    EventPool::giveBack(*place);
    return kSuccess;
}

Result change(void* pointer, State state, const StateDetails& details, unsigned version, void* arguments)
{
    const Handle handle(pointer);
    Place* const place = g_pool.find(handle);
    if (place != nullptr) {
        noteState(*place, state, details);
    }
    if (state == State::GroupEndApiStart && handle.kind() == Kind::Group) {
        if (ThreadState* const thread = eventThread(); thread != nullptr) {
            const InPlugin inPlugin(*thread);
            launchForeignGroup(*thread, handle);
        }
    }
    void* const theirs = place != nullptr ? place->theirs.load(std::memory_order_acquire) : nullptr;
    if (theirs != nullptr) {
        const Inside inside;
        g_chain.state(theirs, state, version, arguments);
    }
    return kSuccess;
}

Result close(void* pointer)
{
    auto* const context = static_cast<Context*>(pointer);
    if (context == nullptr) {
        return kSuccess;
    }
    const bool last = g_contexts.close(*context);
    if (last && context->chained && context->theirs != nullptr) { // NCCL does not end a context that is null
        const Inside inside;
        g_chain.close(context->theirs);
    }
    g_pool.giveBackAll(*context);
    return kSuccess;
}

EventPool& pool()
{
    return g_pool;
}

Contexts& contexts()
{
    return g_contexts;
}

Chain& chain()
{
    return g_chain;
}

std::uint64_t maskFor(unsigned version)
{
    const std::uint64_t timed =
        canTimeKernels(version) && ncclKernels().areTimed() ? kKernelCh : std::uint64_t{0};
    return (isRecording() ? wantedEvents(version, level()) | timed : 0) | g_chain.mask();
}

void applyMasks()
{
    g_contexts.setMasks([](unsigned version) { return maskFor(version); });
}

bool showsCallsOf(std::uint64_t ncclHash)
{
    constexpr unsigned kFirstWithCalls = 5;
    return g_contexts.anyOpen(ncclHash, kFirstWithCalls);
}

unsigned versionInUse()
{
    return g_version.load();
}

void noteCommunicator(Communicator* communicator)
{
    const ThreadState* const thread = t_thread.state;
    if (communicator == nullptr || thread == nullptr || thread->inFlight().api.load() == 0) {
        return; // the communicator is only noticed, not created; its first call contains more
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
    wanted |= version >= 6 ? kCeColl | kCeSync | kCeBatch : std::uint64_t{0};
    if (level >= Level::Deep) {
        wanted |= kProxyOp | kProxyStep;
        wanted |= canTimeKernels(version) ? kKernelCh : std::uint64_t{0};
        wanted |= version >= 7 ? kKernelPhase : std::uint64_t{0};
    }
    return wanted;
}

} // namespace ringside::collector::profiler
