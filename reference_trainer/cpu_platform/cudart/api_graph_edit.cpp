// SPDX-License-Identifier: Apache-2.0
// Graphs: changing and cloning them.
#include "api.h"
#include "graph.h"

#include <algorithm>

using namespace ringside::platform;

namespace {

// Runs `body` with a graph and the nodes at both ends of edges.
template <class Body>
cudaError_t withEdges(cudaGraph_t handle, std::span<const cudaGraphNode_t> from,
                      std::span<const cudaGraphNode_t> to, Body&& body)
{
    const GraphPtr graph = findGraph(handle);
    GraphNodes before;
    GraphNodes after;
    if (graph == nullptr || !findNodes(*graph, from, before) || !findNodes(*graph, to, after))
        return cudaErrorInvalidValue;
    for (std::size_t i = 0; i < before.size(); ++i) {
        const cudaError_t error = body(before[i], after[i]);
        if (error != cudaSuccess)
            return error;
    }
    return cudaSuccess;
}

} // namespace

cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                                     const cudaGraphNode_t* to, const cudaGraphEdgeData*, std::size_t count)
{
    return apiCall(CUPTI_RUNTIME_TRACE_CBID_cudaGraphAddDependencies_v12030, [&] {
        if (count != 0 && (from == nullptr || to == nullptr))
            return cudaErrorInvalidValue;
        return withEdges(graph, {from, count}, {to, count},
                         [](const GraphNodePtr& before, const GraphNodePtr& after) {
                             if (before == after || dependsOn(*after, before))
                                 return cudaErrorInvalidValue;
                             after->dependencies.push_back(before);
                             return cudaSuccess;
                         });
    });
}

cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                                        const cudaGraphNode_t* to, const cudaGraphEdgeData*,
                                        std::size_t count)
{
    return apiCall(CUPTI_RUNTIME_TRACE_CBID_cudaGraphRemoveDependencies_v12030, [&] {
        if (count != 0 && (from == nullptr || to == nullptr))
            return cudaErrorInvalidValue;
        return withEdges(
            graph, {from, count}, {to, count}, [](const GraphNodePtr& before, const GraphNodePtr& after) {
                return std::erase(after->dependencies, before) != 0 ? cudaSuccess : cudaErrorInvalidValue;
            });
    });
}

cudaError_t cudaGraphDestroyNode(cudaGraphNode_t node)
{
    return apiCall(CUPTI_RUNTIME_TRACE_CBID_cudaGraphDestroyNode_v10000, [&] {
        const GraphNodePtr found = findNode(node);
        const GraphPtr graph = found == nullptr ? nullptr : found->graph.lock();
        if (graph == nullptr)
            return cudaErrorInvalidValue;
        graph->remove(found);
        return cudaSuccess;
    });
}

cudaError_t cudaGraphClone(cudaGraph_t* clone, cudaGraph_t original)
{
    return apiCall(CUPTI_RUNTIME_TRACE_CBID_cudaGraphClone_v10000, [&] {
        const GraphPtr graph = findGraph(original);
        if (clone == nullptr || graph == nullptr)
            return cudaErrorInvalidValue;
        *clone = publishGraph(graph->clone());
        return cudaSuccess;
    });
}

cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t* node, cudaGraphNode_t original, cudaGraph_t clone)
{
    return apiCall(CUPTI_RUNTIME_TRACE_CBID_cudaGraphNodeFindInClone_v10000, [&] {
        const GraphNodePtr wanted = findNode(original);
        const GraphPtr graph = findGraph(clone);
        if (node == nullptr || wanted == nullptr || graph == nullptr)
            return cudaErrorInvalidValue;
        const auto found =
            std::find_if(graph->nodes().begin(), graph->nodes().end(),
                         [&wanted](const GraphNodePtr& copy) { return copy->clonedFrom == wanted->id; });
        if (found == graph->nodes().end())
            return cudaErrorInvalidValue;
        *node = handleOf(*found);
        return cudaSuccess;
    });
}
