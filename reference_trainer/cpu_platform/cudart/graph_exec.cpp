// SPDX-License-Identifier: Apache-2.0
#include "graph_exec.h"

#include "activity.h"
#include "device.h"

#include <algorithm>
#include <atomic>
#include <unordered_map>

namespace ringside::platform {

std::shared_ptr<GraphExec> GraphExec::instantiate(const Graph& graph, unsigned long long flags)
{
    static std::atomic<std::uint32_t> newestId = 0;
    const GraphNodes nodes = graph.inOrder();
    if (nodes.size() != graph.nodes().size())
        return nullptr;
    auto exec = std::make_shared<GraphExec>();
    exec->m_id = ++newestId;
    exec->m_flags = flags;
    std::unordered_map<const GraphNode*, std::size_t> places;
    for (const GraphNodePtr& node : nodes) {
        Step step{.task = node->task, .node = node};
        for (const GraphNodePtr& before : node->dependencies)
            step.after.push_back(places.at(before.get()));
        places[node.get()] = exec->m_steps.size();
        step.lane = exec->laneFor(step, exec->m_steps.size());
        exec->m_steps.push_back(std::move(step));
    }
    return exec;
}

GraphExec::~GraphExec()
{
    for (const Lane& lane : m_lanes)
        if (lane.stream != nullptr)
            device(lane.device).destroyStream(lane.stream);
}

// A step goes to a lane whose newest step it depends on; otherwise it may run in parallel with all others.
std::size_t GraphExec::laneFor(const Step& step, std::size_t index)
{
    for (const std::size_t before : step.after) {
        const std::size_t lane = m_steps[before].lane;
        if (m_lanes[lane].last == before && m_lanes[lane].device == step.task->device) {
            m_lanes[lane].last = index;
            return lane;
        }
    }
    m_lanes.push_back({.device = step.task->device, .last = index});
    return m_lanes.size() - 1;
}

// The first lane uses the launch stream unless its work belongs to another device.
void GraphExec::openStreams(const Stream& launchedInto)
{
    for (std::size_t i = 0; i < m_lanes.size(); ++i) {
        Lane& lane = m_lanes[i];
        const bool own = i != 0 || lane.device != launchedInto.options().device;
        if (own && lane.stream == nullptr)
            lane.stream = device(lane.device).createStream(cudaStreamNonBlocking, 0);
    }
}

cudaError_t GraphExec::cloneArguments(std::vector<QueueItem>& items) const
{
    for (const Step& step : m_steps) {
        QueueItem item{.work = step.task->work,
                       .hostFunction = step.task->hostFunction,
                       .hostArgument = step.task->hostArgument,
                       .correlation = ApiCall::correlation(),
                       .graphId = m_id,
                       .graphNodeId = step.node->id};
        if (item.work.arg != nullptr) {
            item.work.arg = item.work.clone(step.task->work.arg);
            if (item.work.arg == nullptr)
                return cudaErrorMemoryAllocation;
        }
        items.push_back(std::move(item));
    }
    return cudaSuccess;
}

void GraphExec::push(Stream& stream, std::vector<QueueItem>& items, std::vector<CompletionPtr> before)
{
    if (m_lastLaunch != nullptr)
        before.push_back(m_lastLaunch);
    const CompletionPtr begin = stream.push({.after = std::move(before)});
    std::vector<CompletionPtr> done;
    for (std::size_t i = 0; i < items.size(); ++i) {
        const Step& step = m_steps[i];
        const auto& own = m_lanes[step.lane].stream;
        if (own != nullptr)
            items[i].after.push_back(begin);
        for (const std::size_t earlier : step.after)
            items[i].after.push_back(done[earlier]);
        if (step.task->type == cudaGraphNodeTypeWaitEvent)
            if (CompletionPtr recorded = step.task->event->recorded())
                items[i].after.push_back(std::move(recorded));
        done.push_back((own == nullptr ? stream : *own).push(std::move(items[i])));
        if (step.task->type == cudaGraphNodeTypeEventRecord)
            step.task->event->record(done.back());
    }
    std::vector<CompletionPtr> ends;
    for (const Lane& lane : m_lanes)
        ends.push_back(done[lane.last]);
    m_lastLaunch = stream.push({.after = std::move(ends)});
}

cudaError_t GraphExec::launch(Stream& stream)
{
    const std::lock_guard lock(m_mutex);
    openStreams(stream);
    std::vector<QueueItem> items;
    const cudaError_t cloned = cloneArguments(items);
    if (cloned != cudaSuccess) {
        for (const QueueItem& item : items)
            if (item.work.arg != nullptr)
                item.work.run(item.work.arg, true);
        return cloned;
    }
    device(stream.options().device).enqueueTogether(stream, [&](std::vector<CompletionPtr> before) {
        push(stream, items, std::move(before));
    });
    return cudaSuccess;
}

cudaGraphExecUpdateResult GraphExec::update(const Graph& graph, GraphNodePtr& error)
{
    const std::lock_guard lock(m_mutex);
    const GraphNodes nodes = graph.inOrder();
    if (nodes.size() != m_steps.size())
        return cudaGraphExecUpdateErrorTopologyChanged;
    std::unordered_map<const GraphNode*, std::size_t> places;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        error = nodes[i];
        places[nodes[i].get()] = i;
        std::vector<std::size_t> after;
        for (const GraphNodePtr& before : nodes[i]->dependencies)
            after.push_back(places.at(before.get()));
        if (after != m_steps[i].after || nodes[i]->task->device != m_steps[i].task->device)
            return cudaGraphExecUpdateErrorTopologyChanged;
        if (nodes[i]->task->type != m_steps[i].task->type)
            return cudaGraphExecUpdateErrorNodeTypeChanged;
    }
    error = nullptr;
    for (std::size_t i = 0; i < nodes.size(); ++i)
        m_steps[i].task = nodes[i]->task;
    return cudaGraphExecUpdateSuccess;
}

bool GraphExec::replace(const GraphNodePtr& node, NodeTaskPtr task)
{
    const std::lock_guard lock(m_mutex);
    const auto found =
        std::find_if(m_steps.begin(), m_steps.end(), [&node](const Step& step) { return step.node == node; });
    if (found == m_steps.end())
        return false;
    found->task = std::move(task);
    return true;
}

} // namespace ringside::platform
