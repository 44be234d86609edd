// SPDX-License-Identifier: Apache-2.0
// Executable graphs: instantiating, launching and updating them.
#include "api.h"
#include "capture.h"
#include "graph_exec.h"
#include "handles.h"

using namespace ringside::platform;

namespace {

Handles<cudaGraphExec_t, GraphExec>& executables()
{
    static auto* table = new Handles<cudaGraphExec_t, GraphExec>;
    return *table;
}

cudaError_t instantiate(cudaGraphExec_t* exec, cudaGraph_t handle, unsigned long long flags)
{
    constexpr unsigned long long kKnown =
        cudaGraphInstantiateFlagAutoFreeOnLaunch | cudaGraphInstantiateFlagUseNodePriority;
    const GraphPtr graph = findGraph(handle);
    if (exec == nullptr || graph == nullptr || (flags & ~kKnown) != 0)
        return cudaErrorInvalidValue;
    const std::shared_ptr<GraphExec> made = GraphExec::instantiate(*graph, flags);
    if (made == nullptr)
        return cudaErrorInvalidValue;
    *exec = executables().publish(made);
    return cudaSuccess;
}

// Runs `body` with an executable graph and the stream of its launch.
template <class Body>
cudaError_t withExec(cudaGraphExec_t exec, cudaStream_t handle, Body&& body)
{
    const std::shared_ptr<GraphExec> found = executables().find(exec);
    if (found == nullptr)
        return cudaErrorInvalidValue;
    return withStream(handle, [&](Stream& stream) {
        cudaError_t error = checkUse(stream);
        if (error == cudaSuccess)
            error = checkUnsupported(stream); // child graphs are not supported
        return error != cudaSuccess ? error : body(*found, stream);
    });
}

} // namespace

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* exec, cudaGraph_t graph, unsigned long long flags)
{
    return apiCall(CUPTI_RUNTIME_TRACE_CBID_cudaGraphInstantiate_v12000,
                   [&] { return instantiate(exec, graph, flags); });
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* exec, cudaGraph_t graph, unsigned long long flags)
{
    return apiCall(CUPTI_RUNTIME_TRACE_CBID_cudaGraphInstantiateWithFlags_v11040,
                   [&] { return instantiate(exec, graph, flags); });
}

cudaError_t cudaGraphInstantiateWithParams(cudaGraphExec_t* exec, cudaGraph_t graph,
                                           cudaGraphInstantiateParams* parameters)
{
    return apiCall(CUPTI_RUNTIME_TRACE_CBID_cudaGraphInstantiateWithParams_v12000, [&] {
        if (parameters == nullptr)
            return cudaErrorInvalidValue;
        // Graphs need no upload before a launch, so that this flag has no effect.
        constexpr unsigned long long kUpload = cudaGraphInstantiateFlagUpload;
        const cudaError_t error = instantiate(exec, graph, parameters->flags & ~kUpload);
        const bool exists = exec != nullptr && findGraph(graph) != nullptr;
        parameters->errNode_out = nullptr;
        parameters->result_out = error == cudaSuccess ? cudaGraphInstantiateSuccess
                                 : exists             ? cudaGraphInstantiateInvalidStructure
                                                      : cudaGraphInstantiateError;
        return error;
    });
}

cudaError_t cudaGraphExecGetFlags(cudaGraphExec_t exec, unsigned long long* flags)
{
    return apiCall(CUPTI_RUNTIME_TRACE_CBID_cudaGraphExecGetFlags_v12000, [&] {
        const std::shared_ptr<GraphExec> found = executables().find(exec);
        if (found == nullptr || flags == nullptr)
            return cudaErrorInvalidValue;
        *flags = found->flags();
        return cudaSuccess;
    });
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream)
{
    return apiCall(CUPTI_RUNTIME_TRACE_CBID_cudaGraphLaunch_v10000, [&] {
        return withExec(exec, stream, [](GraphExec& graph, Stream& on) { return graph.launch(on); });
    });
}

cudaError_t cudaGraphUpload(cudaGraphExec_t exec, cudaStream_t stream)
{
    // Graphs need no upload before a launch.
    return apiCall(CUPTI_RUNTIME_TRACE_CBID_cudaGraphUpload_v10000,
                   [&] { return withExec(exec, stream, [](GraphExec&, Stream&) { return cudaSuccess; }); });
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec)
{
    return apiCall(CUPTI_RUNTIME_TRACE_CBID_cudaGraphExecDestroy_v10000, [&] {
        return executables().retire(exec) != nullptr ? cudaSuccess : cudaErrorInvalidValue;
    });
}

cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t handle,
                                cudaGraphExecUpdateResultInfo* information)
{
    return apiCall(CUPTI_RUNTIME_TRACE_CBID_cudaGraphExecUpdate_v10020, [&] {
        const std::shared_ptr<GraphExec> found = executables().find(exec);
        const GraphPtr graph = findGraph(handle);
        if (found == nullptr || graph == nullptr || information == nullptr)
            return cudaErrorInvalidValue;
        GraphNodePtr node;
        information->result = found->update(*graph, node);
        information->errorNode = node == nullptr ? nullptr : handleOf(node);
        information->errorFromNode = nullptr;
        return information->result == cudaGraphExecUpdateSuccess ? cudaSuccess
                                                                 : cudaErrorGraphExecUpdateFailure;
    });
}

cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const cudaKernelNodeParams* parameters)
{
    return apiCall(CUPTI_RUNTIME_TRACE_CBID_cudaGraphExecKernelNodeSetParams_v10010, [&] {
        const std::shared_ptr<GraphExec> found = executables().find(exec);
        const GraphNodePtr changed = findNode(node);
        if (found == nullptr || changed == nullptr || parameters == nullptr ||
            changed->task->type != cudaGraphNodeTypeKernel)
            return cudaErrorInvalidValue;
        cudaError_t error = cudaSuccess;
        NodeTaskPtr task = makeKernelTask(*parameters, currentDevice(), error);
        if (error != cudaSuccess)
            return error;
        return found->replace(changed, std::move(task)) ? cudaSuccess : cudaErrorInvalidValue;
    });
}
