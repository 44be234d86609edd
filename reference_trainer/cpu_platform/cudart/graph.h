// SPDX-License-Identifier: Apache-2.0
// Graphs: nodes of work and what each must wait for. As in CUDA, a graph is not for several threads at once;
// what its nodes do is immutable and shared with the executable graphs made from it.
#pragma once
#include "event.h"
#include "platform.h"

#include <cuda_runtime_api.h>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace ringside::platform {

/// What a node does: work, a host function, an event, or nothing.
struct NodeTask {
    NodeTask(cudaGraphNodeType nodeType, int onDevice) : type(nodeType), device(onDevice) {}
    ~NodeTask();
    NodeTask(const NodeTask&) = delete;
    NodeTask& operator=(const NodeTask&) = delete;

    cudaGraphNodeType type;
    int device;
    Work work = {}; ///< its argument belongs to the node and is cloned for every launch
    cudaHostFn_t hostFunction = nullptr;
    void* hostArgument = nullptr;
    std::shared_ptr<Event> event = {};
};
using NodeTaskPtr = std::shared_ptr<const NodeTask>;

/// True for work that can be launched more than once (Work::clone).
[[nodiscard]] bool isRepeatable(const Work& work);
/// A node of work; takes the argument. The type follows from the kind of work.
[[nodiscard]] NodeTaskPtr makeWorkTask(const Work& work, int device);
[[nodiscard]] NodeTaskPtr makeHostTask(cudaHostFn_t function, void* argument, int device);
/// A node that records an event or waits for one.
[[nodiscard]] NodeTaskPtr makeEventTask(cudaGraphNodeType type, std::shared_ptr<Event> event, int device);
/// Null and an error when it could not be launched like this.
[[nodiscard]] NodeTaskPtr makeKernelTask(const cudaKernelNodeParams& parameters, int device,
                                         cudaError_t& error);

class Graph;

struct GraphNode {
    std::uint64_t id = 0; ///< as CUPTI's graphNodeId: unique in the process
    NodeTaskPtr task;
    std::vector<std::shared_ptr<GraphNode>> dependencies;
    std::weak_ptr<Graph> graph = {};
    std::uint64_t clonedFrom = 0; ///< id of the node that it is a copy of
};
using GraphNodePtr = std::shared_ptr<GraphNode>;
using GraphNodes = std::vector<GraphNodePtr>;
/// True when `node` waits for `before` itself, not only for others that do.
[[nodiscard]] bool dependsOn(const GraphNode& node, const GraphNodePtr& before);

class Graph final : public std::enable_shared_from_this<Graph> {
public:
    Graph();
    ~Graph();
    Graph(const Graph&) = delete;
    Graph& operator=(const Graph&) = delete;

    GraphNodePtr add(NodeTaskPtr task, GraphNodes dependencies);
    /// A graph of the same form whose nodes do the same.
    [[nodiscard]] std::shared_ptr<Graph> clone() const;
    void remove(const GraphNodePtr& node);
    [[nodiscard]] bool contains(const GraphNodePtr& node) const;
    /// In the order in which they were added.
    [[nodiscard]] const GraphNodes& nodes() const { return m_nodes; }
    /// Dependencies first, otherwise as added; empty for a graph with a cycle (and for an empty one).
    [[nodiscard]] GraphNodes inOrder() const;

private:
    GraphNodes m_nodes;
};
using GraphPtr = std::shared_ptr<Graph>;

/// Handles. Null for one that is not valid.
[[nodiscard]] cudaGraph_t publishGraph(const GraphPtr& graph);
[[nodiscard]] GraphPtr findGraph(cudaGraph_t handle);
/// Makes the handle invalid, and those of the graph's nodes with the graph.
[[nodiscard]] bool retireGraph(cudaGraph_t handle);
[[nodiscard]] cudaGraphNode_t handleOf(const GraphNodePtr& node);
[[nodiscard]] GraphNodePtr findNode(cudaGraphNode_t handle);
/// False when a handle is not that of a node of this graph.
[[nodiscard]] bool findNodes(const Graph& graph, std::span<const cudaGraphNode_t> handles, GraphNodes& nodes);

} // namespace ringside::platform
