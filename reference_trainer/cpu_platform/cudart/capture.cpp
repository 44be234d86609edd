// SPDX-License-Identifier: Apache-2.0
#include "capture.h"

#include "device.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>
#include <unordered_map>
#include <unordered_set>

namespace ringside::platform {

class Capture final {
public:
    unsigned long long id = 0;
    cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal;
    std::thread::id thread = std::this_thread::get_id();
    const Stream* origin = nullptr;
    GraphPtr graph;
    cudaGraph_t graphHandle = nullptr;
    bool ownsGraph = true; ///< created for this capture, not given by the program
    bool valid = true;
    bool ended = false;
};

namespace {

using CapturePtr = std::shared_ptr<Capture>;

/// A capturing stream and the dependencies of its next node.
struct Member {
    CapturePtr capture;
    std::shared_ptr<Stream> stream;
    GraphNodes dependencies;
    std::vector<cudaGraphNode_t> handles = {}; ///< handles of the dependencies, for queries
    std::vector<cudaGraphEdgeData> edges = {};
};

struct Registry {
    std::mutex mutex;
    std::atomic<std::size_t> count = 0; ///< number of members: if it is 0, calls return early
    std::unordered_map<const Stream*, Member> members;
};

Registry& registry()
{
    static auto* all = new Registry;
    return *all;
}

thread_local cudaStreamCaptureMode threadMode = cudaStreamCaptureModeGlobal;

bool nobodyCaptures()
{
    return registry().count.load(std::memory_order_acquire) == 0;
}

Member* memberLocked(const Stream& stream)
{
    const auto found = registry().members.find(&stream);
    return found == registry().members.end() ? nullptr : &found->second;
}

void addLocked(Member member)
{
    const Stream* stream = member.stream.get();
    registry().members.insert_or_assign(stream, std::move(member));
    registry().count = registry().members.size();
}

void endLocked(Capture& capture)
{
    capture.ended = true;
    std::erase_if(registry().members,
                  [&capture](const auto& entry) { return entry.second.capture.get() == &capture; });
    registry().count = registry().members.size();
}

void dropGraph(const Capture& capture)
{
    if (capture.ownsGraph)
        static_cast<void>(retireGraph(capture.graphHandle));
}

cudaError_t invalidate(Capture& capture, cudaError_t error)
{
    capture.valid = false;
    return error;
}

template <class Touches>
bool invalidateWhereLocked(Touches&& touches)
{
    bool any = false;
    for (auto& [stream, member] : registry().members) {
        if (!touches(*stream, *member.capture))
            continue;
        member.capture->valid = false;
        any = true;
    }
    return any;
}

bool isCapturedUnderLegacy(const Stream& capturing, const Stream& legacy)
{
    return capturing.options().device == legacy.options().device &&
           (capturing.options().flags & cudaStreamNonBlocking) == 0;
}

bool hidesBlockingCaptureLocked(const Stream& stream)
{
    const auto& members = registry().members;
    return isLegacy(stream) && std::any_of(members.begin(), members.end(), [&stream](const auto& entry) {
               return isCapturedUnderLegacy(*entry.first, stream);
           });
}

void addTo(GraphNodes& nodes, const GraphNodes& more)
{
    for (const GraphNodePtr& node : more)
        if (std::find(nodes.begin(), nodes.end(), node) == nodes.end())
            nodes.push_back(node);
}

void appendLocked(Member& member, NodeTaskPtr task)
{
    member.dependencies = {member.capture->graph->add(std::move(task), std::move(member.dependencies))};
}

/// Returns all nodes that the stream's next node would come after.
std::unordered_set<const GraphNode*> reachedBy(const Member& member)
{
    std::unordered_set<const GraphNode*> reached;
    std::vector<const GraphNode*> open;
    for (const GraphNodePtr& node : member.dependencies)
        open.push_back(node.get());
    while (!open.empty()) {
        const GraphNode* node = open.back();
        open.pop_back();
        if (!reached.insert(node).second)
            continue;
        for (const GraphNodePtr& before : node->dependencies)
            open.push_back(before.get());
    }
    return reached;
}

bool allJoinedLocked(const Member& origin)
{
    const auto reached = reachedBy(origin);
    const auto& members = registry().members;
    return std::all_of(members.begin(), members.end(), [&](const auto& entry) {
        const GraphNodes& nodes = entry.second.dependencies;
        return entry.second.capture != origin.capture ||
               std::all_of(nodes.begin(), nodes.end(),
                           [&](const GraphNodePtr& node) { return reached.count(node.get()) != 0; });
    });
}

cudaError_t captureItemLocked(Member& member, const QueueItem& item)
{
    const int device = member.stream->options().device;
    NodeTaskPtr task;
    if (item.work.run != nullptr && isRepeatable(item.work))
        task = makeWorkTask(item.work, device);
    else if (item.hostFunction != nullptr)
        task = makeHostTask(item.hostFunction, item.hostArgument, device);
    else
        return invalidate(*member.capture, cudaErrorStreamCaptureUnsupported);
    appendLocked(member, std::move(task));
    return cudaSuccess;
}

/// Called when a stream that is not capturing waits for a captured event.
cudaError_t joinLocked(const std::shared_ptr<Stream>& stream, const CapturedPoint& point)
{
    if (point.capture->ended)
        return cudaErrorCapturedEvent;
    if (!point.capture->valid)
        return cudaErrorStreamCaptureInvalidated;
    if (isLegacy(*stream))
        return invalidate(*point.capture, cudaErrorStreamCaptureUnsupported);
    addLocked({point.capture, stream, point.nodes});
    return cudaSuccess;
}

/// Called when a capturing stream waits for an event; null: the event was not captured.
cudaError_t waitLocked(Member& member, const CapturedPoint* point)
{
    if (point == nullptr || point->capture->ended)
        return invalidate(*member.capture, cudaErrorStreamCaptureIsolation);
    if (point->capture != member.capture) {
        point->capture->valid = false;
        return invalidate(*member.capture, cudaErrorStreamCaptureMerge);
    }
    addTo(member.dependencies, point->nodes);
    return cudaSuccess;
}

} // namespace

cudaError_t beginCapture(const std::shared_ptr<Stream>& stream, cudaStreamCaptureMode mode, GraphPtr graph,
                         GraphNodes dependencies)
{
    static unsigned long long newestId = 0;
    if (isLegacy(*stream))
        return cudaErrorStreamCaptureUnsupported;
    const std::lock_guard lock(registry().mutex);
    if (memberLocked(*stream) != nullptr)
        return cudaErrorIllegalState;
    auto capture = std::make_shared<Capture>();
    capture->id = ++newestId;
    capture->mode = mode;
    capture->origin = stream.get();
    capture->ownsGraph = graph == nullptr;
    capture->graph = capture->ownsGraph ? std::make_shared<Graph>() : std::move(graph);
    capture->graphHandle = publishGraph(capture->graph);
    addLocked({capture, stream, std::move(dependencies)});
    return cudaSuccess;
}

cudaError_t endCapture(const Stream& stream, cudaGraph_t& graph)
{
    CapturePtr capture; // outlives the lock, because its graph frees arguments of other libraries
    const std::lock_guard lock(registry().mutex);
    const Member* member = memberLocked(stream);
    if (member == nullptr)
        return cudaErrorIllegalState;
    capture = member->capture;
    if (capture->origin != &stream)
        return cudaErrorStreamCaptureUnmatched;
    if (capture->mode != cudaStreamCaptureModeRelaxed && capture->thread != std::this_thread::get_id())
        return cudaErrorStreamCaptureWrongThread;
    const bool joined = allJoinedLocked(*member);
    endLocked(*capture);
    if (capture->valid && joined) {
        graph = capture->graphHandle;
        return cudaSuccess;
    }
    dropGraph(*capture);
    return capture->valid ? cudaErrorStreamCaptureUnjoined : cudaErrorStreamCaptureInvalidated;
}

cudaError_t captureState(const Stream& stream, CaptureState& state)
{
    if (nobodyCaptures())
        return cudaSuccess;
    const std::lock_guard lock(registry().mutex);
    if (hidesBlockingCaptureLocked(stream))
        return cudaErrorStreamCaptureImplicit;
    Member* member = memberLocked(stream);
    if (member == nullptr)
        return cudaSuccess;
    const Capture& capture = *member->capture;
    state.status = capture.valid ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusInvalidated;
    state.id = capture.id;
    state.graph = capture.graphHandle;
    member->handles.clear();
    for (const GraphNodePtr& node : member->dependencies)
        member->handles.push_back(handleOf(node));
    member->edges.assign(member->handles.size(), {});
    state.dependencies = member->handles;
    state.edges = member->edges.data();
    return cudaSuccess;
}

bool isCapturing(const Stream& stream)
{
    if (nobodyCaptures())
        return false;
    const std::lock_guard lock(registry().mutex);
    return memberLocked(stream) != nullptr;
}

cudaError_t setCaptureDependencies(const Stream& stream, std::span<const cudaGraphNode_t> dependencies,
                                   bool add)
{
    const std::lock_guard lock(registry().mutex);
    Member* member = memberLocked(stream);
    GraphNodes nodes;
    if (member == nullptr || !member->capture->valid)
        return member == nullptr ? cudaErrorIllegalState : cudaErrorStreamCaptureInvalidated;
    if (!findNodes(*member->capture->graph, dependencies, nodes))
        return cudaErrorInvalidValue;
    if (!add)
        member->dependencies.clear();
    addTo(member->dependencies, nodes);
    return cudaSuccess;
}

std::optional<cudaError_t> captureItem(const Stream& stream, const QueueItem& item)
{
    if (nobodyCaptures())
        return {};
    cudaError_t error = cudaErrorStreamCaptureInvalidated;
    {
        const std::lock_guard lock(registry().mutex);
        Member* member = memberLocked(stream);
        if (member == nullptr)
            return {};
        if (member->capture->valid)
            error = captureItemLocked(*member, item);
    }
    if (error != cudaSuccess && item.work.run != nullptr)
        item.work.run(item.work.arg, true); // this function must free its argument in any case
    return error;
}

std::optional<cudaError_t> captureRecord(const Stream& stream, const std::shared_ptr<Event>& event,
                                         bool external)
{
    if (nobodyCaptures())
        return {};
    const std::lock_guard lock(registry().mutex);
    Member* member = memberLocked(stream);
    if (member == nullptr)
        return {};
    if (!member->capture->valid)
        return cudaErrorStreamCaptureInvalidated;
    if (external)
        appendLocked(*member, makeEventTask(cudaGraphNodeTypeEventRecord, event, stream.options().device));
    else
        event->recordCaptured(
            std::make_shared<CapturedPoint>(CapturedPoint{member->capture, member->dependencies}));
    return cudaSuccess;
}

std::optional<cudaError_t> captureWait(const std::shared_ptr<Stream>& stream,
                                       const std::shared_ptr<Event>& event, bool external)
{
    const std::shared_ptr<const CapturedPoint> point = event->captured();
    if (point == nullptr && nobodyCaptures())
        return {};
    const std::lock_guard lock(registry().mutex);
    Member* member = memberLocked(*stream);
    if (member == nullptr)
        return point == nullptr ? std::nullopt : std::optional(joinLocked(stream, *point));
    if (!member->capture->valid)
        return cudaErrorStreamCaptureInvalidated;
    if (!external)
        return waitLocked(*member, point.get());
    appendLocked(*member, makeEventTask(cudaGraphNodeTypeWaitEvent, event, stream->options().device));
    return cudaSuccess;
}

cudaError_t checkUse(const Stream& stream)
{
    if (nobodyCaptures() || !isLegacy(stream))
        return cudaSuccess;
    const std::lock_guard lock(registry().mutex);
    const bool any = invalidateWhereLocked([&stream](const Stream& capturing, const Capture&) {
        return isCapturedUnderLegacy(capturing, stream);
    });
    return any ? cudaErrorStreamCaptureImplicit : cudaSuccess;
}

cudaError_t checkWait(const Stream& stream)
{
    cudaError_t error = checkUse(stream);
    if (error == cudaSuccess)
        error = checkUnsupported(stream);
    return error != cudaSuccess ? error : checkUnsafe();
}

cudaError_t checkWait(const Event& event)
{
    const std::shared_ptr<const CapturedPoint> point = event.captured();
    if (point == nullptr)
        return checkUnsafe();
    const std::lock_guard lock(registry().mutex);
    return invalidate(*point->capture, cudaErrorCapturedEvent);
}

cudaError_t checkUnsupported(const Stream& stream)
{
    if (nobodyCaptures())
        return cudaSuccess;
    const std::lock_guard lock(registry().mutex);
    Member* member = memberLocked(stream);
    if (member == nullptr)
        return cudaSuccess;
    return member->capture->valid ? invalidate(*member->capture, cudaErrorStreamCaptureUnsupported)
                                  : cudaErrorStreamCaptureInvalidated;
}

cudaError_t checkDeviceWait(int device)
{
    if (nobodyCaptures())
        return cudaSuccess;
    const std::lock_guard lock(registry().mutex);
    const bool any = invalidateWhereLocked(
        [device](const Stream& capturing, const Capture&) { return capturing.options().device == device; });
    return any ? cudaErrorStreamCaptureUnsupported : checkUnsafe();
}

cudaError_t checkUnsafe()
{
    if (nobodyCaptures() || threadMode == cudaStreamCaptureModeRelaxed)
        return cudaSuccess;
    const std::lock_guard lock(registry().mutex);
    const bool any = invalidateWhereLocked([](const Stream&, const Capture& capture) {
        if (capture.thread == std::this_thread::get_id())
            return capture.mode != cudaStreamCaptureModeRelaxed;
        return capture.mode == cudaStreamCaptureModeGlobal && threadMode == cudaStreamCaptureModeGlobal;
    });
    return any ? cudaErrorStreamCaptureUnsupported : cudaSuccess;
}

cudaStreamCaptureMode exchangeCaptureMode(cudaStreamCaptureMode mode)
{
    return std::exchange(threadMode, mode);
}

void leaveCapture(const Stream& stream)
{
    CapturePtr capture; // outlives the lock, because its graph frees arguments of other libraries
    if (nobodyCaptures())
        return;
    const std::lock_guard lock(registry().mutex);
    Member* member = memberLocked(stream);
    if (member == nullptr)
        return;
    capture = member->capture;
    capture->valid = false;
    if (capture->origin == &stream) {
        dropGraph(*capture);
        return endLocked(*capture);
    }
    registry().members.erase(&stream);
    registry().count = registry().members.size();
}

} // namespace ringside::platform
