// SPDX-License-Identifier: Apache-2.0
// Graphs: creating them node by node, and querying them.
#include "api.h"
#include "copies.h"
#include "graph.h"

#include <algorithm>

using namespace ringside::platform;

namespace {

struct Place {
    cudaGraphNode_t* node;
    cudaGraph_t graph;
    const cudaGraphNode_t* dependencies;
    std::size_t count;
};

// Adds the node that `makeTask` returns; `makeTask` reports failures through its error argument.
template <class MakeTask>
cudaError_t addNode(const Place& place, MakeTask&& makeTask)
{
    const GraphPtr graph = findGraph(place.graph);
    GraphNodes dependencies;
    if (place.node == nullptr || graph == nullptr || (place.count != 0 && place.dependencies == nullptr) ||
        !findNodes(*graph, {place.dependencies, place.count}, dependencies))
        return cudaErrorInvalidValue;
    cudaError_t error = cudaSuccess;
    NodeTaskPtr task = makeTask(error);
    if (error == cudaSuccess)
        *place.node = handleOf(graph->add(std::move(task), std::move(dependencies)));
    return error;
}

NodeTaskPtr copyTask(Copy copy, cudaError_t& error)
{
    error = copy.extent.bytes() == 0 ? cudaErrorInvalidValue : checkCopy(copy);
    return error != cudaSuccess ? nullptr : makeWorkTask(copyWork(copy, false), currentDevice());
}

cudaError_t addEventNode(const Place& place, cudaGraphNodeType type, cudaEvent_t handle)
{
    const std::shared_ptr<Event> event = findEvent(handle);
    return addNode(place, [&](cudaError_t& error) {
        error = event == nullptr ? cudaErrorInvalidResourceHandle : cudaSuccess;
        return makeEventTask(type, event, currentDevice());
    });
}

// All queries for lists work like this: without an array they return the size, otherwise they fill the array
// and set unused places to null.
cudaError_t tellNodes(const GraphNodes& nodes, cudaGraphNode_t* array, std::size_t* count)
{
    if (count == nullptr)
        return cudaErrorInvalidValue;
    if (array == nullptr) {
        *count = nodes.size();
        return cudaSuccess;
    }
    for (std::size_t i = 0; i < *count; ++i)
        array[i] = i < nodes.size() ? handleOf(nodes[i]) : nullptr;
    *count = std::min(*count, nodes.size());
    return cudaSuccess;
}

} // namespace

cudaError_t cudaGraphCreate(cudaGraph_t* graph, unsigned flags)
{
    return apiCall(CUPTI_RUNTIME_TRACE_CBID_cudaGraphCreate_v10000, [&] {
        if (graph == nullptr || flags != 0)
            return cudaErrorInvalidValue;
        *graph = publishGraph(std::make_shared<Graph>());
        return cudaSuccess;
    });
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph)
{
    return apiCall(CUPTI_RUNTIME_TRACE_CBID_cudaGraphDestroy_v10000,
                   [&] { return retireGraph(graph) ? cudaSuccess : cudaErrorInvalidValue; });
}

cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                   const cudaGraphNode_t* dependencies, std::size_t count,
                                   const cudaKernelNodeParams* parameters)
{
    return apiCall(CUPTI_RUNTIME_TRACE_CBID_cudaGraphAddKernelNode_v10000, [&] {
        if (parameters == nullptr)
            return cudaErrorInvalidValue;
        return addNode({node, graph, dependencies, count}, [&](cudaError_t& error) {
            return makeKernelTask(*parameters, currentDevice(), error);
        });
    });
}

cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                   const cudaGraphNode_t* dependencies, std::size_t count,
                                   const cudaMemcpy3DParms* parameters)
{
    return apiCall(CUPTI_RUNTIME_TRACE_CBID_cudaGraphAddMemcpyNode_v10000, [&] {
        if (parameters == nullptr)
            return cudaErrorInvalidValue;
        return addNode({node, graph, dependencies, count}, [&](cudaError_t& error) -> NodeTaskPtr {
            Copy copy;
            error = boxCopy(*parameters, copy);
            return error != cudaSuccess ? nullptr : copyTask(copy, error);
        });
    });
}

cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t* node, cudaGraph_t graph,
                                     const cudaGraphNode_t* dependencies, std::size_t count,
                                     void* destination, const void* source, std::size_t bytes,
                                     cudaMemcpyKind kind)
{
    return apiCall(CUPTI_RUNTIME_TRACE_CBID_cudaGraphAddMemcpyNode1D_v11010, [&] {
        return addNode({node, graph, dependencies, count}, [&](cudaError_t& error) {
            return copyTask({.destination = destination, .source = source, .extent = {bytes}, .kind = kind},
                            error);
        });
    });
}

cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                   const cudaGraphNode_t* dependencies, std::size_t count,
                                   const cudaMemsetParams* parameters)
{
    return apiCall(CUPTI_RUNTIME_TRACE_CBID_cudaGraphAddMemsetNode_v10000, [&] {
        if (parameters == nullptr)
            return cudaErrorInvalidValue;
        return addNode({node, graph, dependencies, count}, [&](cudaError_t& error) -> NodeTaskPtr {
            const Set set{.pointer = parameters->dst,
                          .value = parameters->value,
                          .elementSize = parameters->elementSize,
                          .extent = {parameters->width * parameters->elementSize, parameters->height},
                          .pitch = {parameters->pitch}};
            const bool sized = set.elementSize == 1 || set.elementSize == 2 || set.elementSize == 4;
            error = !sized || set.extent.bytes() == 0 ? cudaErrorInvalidValue : checkSet(set);
            return error != cudaSuccess ? nullptr : makeWorkTask(setWork(set), currentDevice());
        });
    });
}

cudaError_t cudaGraphAddHostNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                 const cudaGraphNode_t* dependencies, std::size_t count,
                                 const cudaHostNodeParams* parameters)
{
    return apiCall(CUPTI_RUNTIME_TRACE_CBID_cudaGraphAddHostNode_v10000, [&] {
        if (parameters == nullptr || parameters->fn == nullptr)
            return cudaErrorInvalidValue;
        return addNode({node, graph, dependencies, count}, [&](cudaError_t&) {
            return makeHostTask(parameters->fn, parameters->userData, currentDevice());
        });
    });
}

cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                  const cudaGraphNode_t* dependencies, std::size_t count)
{
    return apiCall(CUPTI_RUNTIME_TRACE_CBID_cudaGraphAddEmptyNode_v10000, [&] {
        return addNode({node, graph, dependencies, count}, [](cudaError_t&) {
            return std::make_shared<NodeTask>(cudaGraphNodeTypeEmpty, currentDevice());
        });
    });
}

cudaError_t cudaGraphAddEventRecordNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                        const cudaGraphNode_t* dependencies, std::size_t count,
                                        cudaEvent_t event)
{
    return apiCall(CUPTI_RUNTIME_TRACE_CBID_cudaGraphAddEventRecordNode_v11010, [&] {
        return addEventNode({node, graph, dependencies, count}, cudaGraphNodeTypeEventRecord, event);
    });
}

cudaError_t cudaGraphAddEventWaitNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                      const cudaGraphNode_t* dependencies, std::size_t count,
                                      cudaEvent_t event)
{
    return apiCall(CUPTI_RUNTIME_TRACE_CBID_cudaGraphAddEventWaitNode_v11010, [&] {
        return addEventNode({node, graph, dependencies, count}, cudaGraphNodeTypeWaitEvent, event);
    });
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, std::size_t* count)
{
    return apiCall(CUPTI_RUNTIME_TRACE_CBID_cudaGraphGetNodes_v10000, [&] {
        const GraphPtr found = findGraph(graph);
        return found == nullptr ? cudaErrorInvalidValue : tellNodes(found->nodes(), nodes, count);
    });
}

cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, std::size_t* count)
{
    return apiCall(CUPTI_RUNTIME_TRACE_CBID_cudaGraphGetRootNodes_v10000, [&] {
        const GraphPtr found = findGraph(graph);
        if (found == nullptr)
            return cudaErrorInvalidValue;
        GraphNodes roots;
        std::copy_if(found->nodes().begin(), found->nodes().end(), std::back_inserter(roots),
                     [](const GraphNodePtr& node) { return node->dependencies.empty(); });
        return tellNodes(roots, nodes, count);
    });
}

cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t* from, cudaGraphNode_t* to,
                              cudaGraphEdgeData* edges, std::size_t* count)
{
    return apiCall(CUPTI_RUNTIME_TRACE_CBID_cudaGraphGetEdges_v12030, [&] {
        const GraphPtr found = findGraph(graph);
        if (found == nullptr || count == nullptr || (from == nullptr) != (to == nullptr))
            return cudaErrorInvalidValue;
        GraphNodes before;
        GraphNodes after;
        for (const GraphNodePtr& node : found->nodes())
            for (const GraphNodePtr& dependency : node->dependencies) {
                before.push_back(dependency);
                after.push_back(node);
            }
        if (from != nullptr && edges != nullptr)
            std::fill_n(edges, *count, cudaGraphEdgeData{});
        std::size_t again = *count;
        const cudaError_t error = tellNodes(before, from, count);
        return error != cudaSuccess ? error : tellNodes(after, to, &again);
    });
}

cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, cudaGraphNodeType* type)
{
    return apiCall(CUPTI_RUNTIME_TRACE_CBID_cudaGraphNodeGetType_v10000, [&] {
        const GraphNodePtr found = findNode(node);
        if (found == nullptr || type == nullptr)
            return cudaErrorInvalidValue;
        *type = found->task->type;
        return cudaSuccess;
    });
}

cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t* dependencies,
                                         cudaGraphEdgeData* edges, std::size_t* count)
{
    return apiCall(CUPTI_RUNTIME_TRACE_CBID_cudaGraphNodeGetDependencies_v12030, [&] {
        const GraphNodePtr found = findNode(node);
        if (found == nullptr || count == nullptr)
            return cudaErrorInvalidValue;
        if (dependencies != nullptr && edges != nullptr)
            std::fill_n(edges, *count, cudaGraphEdgeData{});
        return tellNodes(found->dependencies, dependencies, count);
    });
}

cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t* dependents,
                                           cudaGraphEdgeData* edges, std::size_t* count)
{
    return apiCall(CUPTI_RUNTIME_TRACE_CBID_cudaGraphNodeGetDependentNodes_v12030, [&] {
        const GraphNodePtr found = findNode(node);
        const GraphPtr graph = found == nullptr ? nullptr : found->graph.lock();
        if (graph == nullptr || count == nullptr)
            return cudaErrorInvalidValue;
        GraphNodes after;
        std::copy_if(graph->nodes().begin(), graph->nodes().end(), std::back_inserter(after),
                     [&found](const GraphNodePtr& other) { return dependsOn(*other, found); });
        if (dependents != nullptr && edges != nullptr)
            std::fill_n(edges, *count, cudaGraphEdgeData{});
        return tellNodes(after, dependents, count);
    });
}
