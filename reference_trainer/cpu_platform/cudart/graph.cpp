// SPDX-License-Identifier: Apache-2.0
#include "graph.h"

#include "handles.h"
#include "kernels.h"

#include <algorithm>
#include <atomic>
#include <unordered_map>
#include <unordered_set>

namespace ringside::platform {
namespace {

Handles<cudaGraph_t, Graph>& graphs()
{
    static auto* table = new Handles<cudaGraph_t, Graph>;
    return *table;
}

Handles<cudaGraphNode_t, GraphNode>& nodeHandles()
{
    static auto* table = new Handles<cudaGraphNode_t, GraphNode>;
    return *table;
}

cudaGraphNodeType typeOf(WorkKind kind)
{
    switch (kind) {
    case WorkKind::Copy:
        return cudaGraphNodeTypeMemcpy;
    case WorkKind::Set:
        return cudaGraphNodeTypeMemset;
    case WorkKind::Kernel:
        break;
    }
    return cudaGraphNodeTypeKernel;
}

} // namespace

NodeTask::~NodeTask()
{
    if (work.run != nullptr && work.arg != nullptr)
        work.run(work.arg, true);
}

bool isRepeatable(const Work& work)
{
    return work.arg == nullptr || work.clone != nullptr;
}

NodeTaskPtr makeWorkTask(const Work& work, int device)
{
    auto task = std::make_shared<NodeTask>(typeOf(work.kind), device);
    task->work = work;
    return task;
}

NodeTaskPtr makeHostTask(cudaHostFn_t function, void* argument, int device)
{
    auto task = std::make_shared<NodeTask>(cudaGraphNodeTypeHost, device);
    task->hostFunction = function;
    task->hostArgument = argument;
    return task;
}

NodeTaskPtr makeEventTask(cudaGraphNodeType type, std::shared_ptr<Event> event, int device)
{
    auto task = std::make_shared<NodeTask>(type, device);
    task->event = std::move(event);
    return task;
}

NodeTaskPtr makeKernelTask(const cudaKernelNodeParams& parameters, int device, cudaError_t& error)
{
    const Kernel* kernel = findKernel(parameters.func);
    error = kernel == nullptr ? cudaErrorInvalidDeviceFunction : cudaSuccess;
    if (parameters.kernelParams == nullptr && parameters.extra != nullptr)
        error = cudaErrorNotSupported; // arguments as one block: the size of each is unknown
    Work work;
    if (error == cudaSuccess)
        error = kernelWork(*kernel,
                           {.grid = parameters.gridDim,
                            .block = parameters.blockDim,
                            .arguments = parameters.kernelParams,
                            .sharedBytes = parameters.sharedMemBytes},
                           work);
    return error != cudaSuccess ? nullptr : makeWorkTask(work, device);
}

bool dependsOn(const GraphNode& node, const GraphNodePtr& before)
{
    return std::find(node.dependencies.begin(), node.dependencies.end(), before) != node.dependencies.end();
}

Graph::Graph() = default;

Graph::~Graph()
{
    for (const GraphNodePtr& node : m_nodes) {
        nodeHandles().retire(handleOf(node));
        node->dependencies.clear(); // chains of thousands of nodes must not be freed by recursion
    }
}

GraphNodePtr Graph::add(NodeTaskPtr task, GraphNodes dependencies)
{
    static std::atomic<std::uint64_t> newestId = 0;
    auto node = std::make_shared<GraphNode>(
        GraphNode{++newestId, std::move(task), std::move(dependencies), weak_from_this()});
    m_nodes.push_back(node);
    nodeHandles().publish(node);
    return node;
}

// In two passes, because a program may have made a node depend on one that was added later.
std::shared_ptr<Graph> Graph::clone() const
{
    auto copy = std::make_shared<Graph>();
    std::unordered_map<const GraphNode*, GraphNodePtr> copies;
    for (const GraphNodePtr& node : m_nodes) {
        copies[node.get()] = copy->add(node->task, {});
        copies[node.get()]->clonedFrom = node->id;
    }
    for (const GraphNodePtr& node : m_nodes)
        for (const GraphNodePtr& before : node->dependencies)
            copies[node.get()]->dependencies.push_back(copies.at(before.get()));
    return copy;
}

void Graph::remove(const GraphNodePtr& node)
{
    std::erase(m_nodes, node);
    for (const GraphNodePtr& other : m_nodes)
        std::erase(other->dependencies, node);
    nodeHandles().retire(handleOf(node));
}

bool Graph::contains(const GraphNodePtr& node) const
{
    return std::find(m_nodes.begin(), m_nodes.end(), node) != m_nodes.end();
}

GraphNodes Graph::inOrder() const
{
    GraphNodes ordered;
    GraphNodes waiting = m_nodes;
    std::unordered_set<const GraphNode*> placed;
    const auto ready = [&placed](const GraphNodePtr& node) {
        return std::all_of(node->dependencies.begin(), node->dependencies.end(),
                           [&placed](const GraphNodePtr& before) { return placed.count(before.get()) != 0; });
    };
    while (!waiting.empty()) {
        GraphNodes later;
        for (const GraphNodePtr& node : waiting) {
            if (!ready(node)) {
                later.push_back(node);
                continue;
            }
            placed.insert(node.get());
            ordered.push_back(node);
        }
        if (later.size() == waiting.size())
            return {};
        waiting.swap(later);
    }
    return ordered;
}

cudaGraph_t publishGraph(const GraphPtr& graph)
{
    return graphs().publish(graph);
}

GraphPtr findGraph(cudaGraph_t handle)
{
    return graphs().find(handle);
}

bool retireGraph(cudaGraph_t handle)
{
    return graphs().retire(handle) != nullptr;
}

cudaGraphNode_t handleOf(const GraphNodePtr& node)
{
    return reinterpret_cast<cudaGraphNode_t>(node.get());
}

GraphNodePtr findNode(cudaGraphNode_t handle)
{
    return nodeHandles().find(handle);
}

bool findNodes(const Graph& graph, std::span<const cudaGraphNode_t> handles, GraphNodes& nodes)
{
    for (const cudaGraphNode_t handle : handles) {
        GraphNodePtr node = findNode(handle);
        if (node == nullptr || !graph.contains(node))
            return false;
        nodes.push_back(std::move(node));
    }
    return true;
}

} // namespace ringside::platform
