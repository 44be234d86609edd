// SPDX-License-Identifier: Apache-2.0
// Graphs: nodes of work and their dependencies. As in CUDA, only one thread may use a graph at a time. The
// tasks of its nodes are immutable and shared with the executable graphs created from it.
#pragma once
#include "event.h"
#include "platform.h"

#include <cuda_runtime_api.h>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace ringside::platform {

/// The task of a node: work, a host function, an event, or nothing.
struct NodeTask {
    NodeTask(cudaGraphNodeType nodeType, int onDevice) : type(nodeType), device(onDevice) {}
    ~NodeTask();
    NodeTask(const NodeTask&) = delete;
    NodeTask& operator=(const NodeTask&) = delete;

    cudaGraphNodeType type;
    int device;
    Work work = {}; ///< the node owns its argument and clones it for every launch
    cudaHostFn_t hostFunction = nullptr;
    void* hostArgument = nullptr;
    std::shared_ptr<Event> event = {};
};
using NodeTaskPtr = std::shared_ptr<const NodeTask>;

/// Returns true for work that can be launched more than once (Work::clone).
[[nodiscard]] bool isRepeatable(const Work& work);
/// Returns a task for work and takes ownership of its argument. The node's type follows from the kind of
/// work.
[[nodiscard]] NodeTaskPtr makeWorkTask(const Work& work, int device);
[[nodiscard]] NodeTaskPtr makeHostTask(cudaHostFn_t function, void* argument, int device);
/// Returns a task that records an event or waits for one.
[[nodiscard]] NodeTaskPtr makeEventTask(cudaGraphNodeType type, std::shared_ptr<Event> event, int device);
/// Returns null and an error if the kernel cannot be launched like this.
[[nodiscard]] NodeTaskPtr makeKernelTask(const cudaKernelNodeParams& parameters, int device,
                                         cudaError_t& error);

class Graph;

struct GraphNode {
    std::uint64_t id = 0; ///< as CUPTI's graphNodeId: unique in the process
    NodeTaskPtr task;
    std::vector<std::shared_ptr<GraphNode>> dependencies;
    std::weak_ptr<Graph> graph = {};
    std::uint64_t clonedFrom = 0; ///< id of the node of which it is a copy
};
using GraphNodePtr = std::shared_ptr<GraphNode>;
using GraphNodes = std::vector<GraphNodePtr>;
/// Returns true if `node` depends directly on `before`.
[[nodiscard]] bool dependsOn(const GraphNode& node, const GraphNodePtr& before);

class Graph final : public std::enable_shared_from_this<Graph> {
public:
    Graph();
    ~Graph();
    Graph(const Graph&) = delete;
    Graph& operator=(const Graph&) = delete;

    GraphNodePtr add(NodeTaskPtr task, GraphNodes dependencies);
    /// Returns a graph of the same form with the same tasks.
    [[nodiscard]] std::shared_ptr<Graph> clone() const;
    void remove(const GraphNodePtr& node);
    [[nodiscard]] bool contains(const GraphNodePtr& node) const;
    /// Returns the nodes in the order in which they were added.
    [[nodiscard]] const GraphNodes& nodes() const { return m_nodes; }
    /// Returns the nodes with dependencies first, otherwise in the order in which they were added. Empty for
    /// a graph with a cycle, and for an empty one.
    [[nodiscard]] GraphNodes inOrder() const;

private:
    GraphNodes m_nodes;
};
using GraphPtr = std::shared_ptr<Graph>;

/// Handles of graphs. Functions return null for an invalid handle.
[[nodiscard]] cudaGraph_t publishGraph(const GraphPtr& graph);
[[nodiscard]] GraphPtr findGraph(cudaGraph_t handle);
/// Invalidates the handle of the graph and those of its nodes.
[[nodiscard]] bool retireGraph(cudaGraph_t handle);
[[nodiscard]] cudaGraphNode_t handleOf(const GraphNodePtr& node);
[[nodiscard]] GraphNodePtr findNode(cudaGraphNode_t handle);
/// Returns false if a handle does not belong to a node of this graph.
[[nodiscard]] bool findNodes(const Graph& graph, std::span<const cudaGraphNode_t> handles, GraphNodes& nodes);

} // namespace ringside::platform
