// SPDX-License-Identifier: Apache-2.0
// Functions for programs built for per-thread default streams (nvcc --default-stream per-thread, or
// CUDA_API_PER_THREAD_DEFAULT_STREAM): CUDA's headers map their calls to names ending in _ptsz (functions
// with a stream argument) or _ptds (functions that use the default stream). Each is the plain function with
// another meaning of the null stream.
#include "api.h"

using namespace ringside::platform;

// One row for each function: name, ending, version in CUPTI's name for it, parameters, arguments. decltype
// makes the plain function's declaration check the parameters.
#define RINGSIDE_PER_THREAD(name, ending, version, parameters, arguments)                                    \
    extern "C" decltype(name) name##_##ending;                                                               \
    cudaError_t name##_##ending parameters                                                                   \
    {                                                                                                        \
        return apiCall(CUPTI_RUNTIME_TRACE_CBID_##name##_##ending##_##version, [&] {                         \
            const PerThreadDefault scope;                                                                    \
            return name arguments;                                                                           \
        });                                                                                                  \
    }

// clang-format off
// NOLINTBEGIN(bugprone-macro-parentheses)
RINGSIDE_PER_THREAD(cudaStreamSynchronize, ptsz, v7000, (cudaStream_t stream), (stream))
RINGSIDE_PER_THREAD(cudaStreamQuery, ptsz, v7000, (cudaStream_t stream), (stream))
RINGSIDE_PER_THREAD(cudaStreamWaitEvent, ptsz, v7000, (cudaStream_t stream, cudaEvent_t event, unsigned flags), (stream, event, flags))
RINGSIDE_PER_THREAD(cudaStreamGetFlags, ptsz, v7000, (cudaStream_t stream, unsigned* flags), (stream, flags))
RINGSIDE_PER_THREAD(cudaStreamGetPriority, ptsz, v7000, (cudaStream_t stream, int* priority), (stream, priority))
RINGSIDE_PER_THREAD(cudaStreamGetId, ptsz, v12000, (cudaStream_t stream, unsigned long long* id), (stream, id))
RINGSIDE_PER_THREAD(cudaStreamGetDevice, ptsz, v12080, (cudaStream_t stream, int* index), (stream, index))
RINGSIDE_PER_THREAD(cudaLaunchHostFunc, ptsz, v10000, (cudaStream_t stream, cudaHostFn_t function, void* argument), (stream, function, argument))
RINGSIDE_PER_THREAD(cudaEventRecord, ptsz, v7000, (cudaEvent_t event, cudaStream_t stream), (event, stream))
RINGSIDE_PER_THREAD(cudaEventRecordWithFlags, ptsz, v11010, (cudaEvent_t event, cudaStream_t stream, unsigned flags), (event, stream, flags))

RINGSIDE_PER_THREAD(cudaStreamBeginCapture, ptsz, v10000, (cudaStream_t stream, cudaStreamCaptureMode mode), (stream, mode))
RINGSIDE_PER_THREAD(cudaStreamBeginCaptureToGraph, ptsz, v12030, (cudaStream_t stream, cudaGraph_t graph, const cudaGraphNode_t* dependencies, const cudaGraphEdgeData* edges, std::size_t count, cudaStreamCaptureMode mode), (stream, graph, dependencies, edges, count, mode))
RINGSIDE_PER_THREAD(cudaStreamEndCapture, ptsz, v10000, (cudaStream_t stream, cudaGraph_t* graph), (stream, graph))
RINGSIDE_PER_THREAD(cudaStreamIsCapturing, ptsz, v10000, (cudaStream_t stream, cudaStreamCaptureStatus* status), (stream, status))
RINGSIDE_PER_THREAD(cudaStreamGetCaptureInfo, ptsz, v12030, (cudaStream_t stream, cudaStreamCaptureStatus* status, unsigned long long* id, cudaGraph_t* graph, const cudaGraphNode_t** dependencies, const cudaGraphEdgeData** edges, std::size_t* count), (stream, status, id, graph, dependencies, edges, count))
RINGSIDE_PER_THREAD(cudaStreamUpdateCaptureDependencies, ptsz, v12030, (cudaStream_t stream, cudaGraphNode_t* dependencies, const cudaGraphEdgeData* edges, std::size_t count, unsigned flags), (stream, dependencies, edges, count, flags))
RINGSIDE_PER_THREAD(cudaGraphInstantiateWithParams, ptsz, v12000, (cudaGraphExec_t* exec, cudaGraph_t graph, cudaGraphInstantiateParams* parameters), (exec, graph, parameters))
RINGSIDE_PER_THREAD(cudaStreamAddCallback, ptsz, v7000, (cudaStream_t stream, cudaStreamCallback_t callback, void* argument, unsigned flags), (stream, callback, argument, flags))
RINGSIDE_PER_THREAD(cudaGraphLaunch, ptsz, v10000, (cudaGraphExec_t exec, cudaStream_t stream), (exec, stream))
RINGSIDE_PER_THREAD(cudaGraphUpload, ptsz, v10000, (cudaGraphExec_t exec, cudaStream_t stream), (exec, stream))

RINGSIDE_PER_THREAD(cudaLaunchKernel, ptsz, v7000, (const void* function, dim3 grid, dim3 block, void** arguments, std::size_t sharedMemory, cudaStream_t stream), (function, grid, block, arguments, sharedMemory, stream))
RINGSIDE_PER_THREAD(cudaLaunchKernelExC, ptsz, v11060, (const cudaLaunchConfig_t* config, const void* function, void** arguments), (config, function, arguments))
RINGSIDE_PER_THREAD(__cudaLaunchKernel, ptsz, v13000, (cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments, std::size_t sharedMemory, cudaStream_t stream), (kernel, grid, block, arguments, sharedMemory, stream))

RINGSIDE_PER_THREAD(cudaMallocAsync, ptsz, v11020, (void** pointer, std::size_t size, cudaStream_t stream), (pointer, size, stream))
RINGSIDE_PER_THREAD(cudaFreeAsync, ptsz, v11020, (void* pointer, cudaStream_t stream), (pointer, stream))
RINGSIDE_PER_THREAD(cudaMemcpy, ptds, v7000, (void* destination, const void* source, std::size_t count, cudaMemcpyKind kind), (destination, source, count, kind))
RINGSIDE_PER_THREAD(cudaMemcpyAsync, ptsz, v7000, (void* destination, const void* source, std::size_t count, cudaMemcpyKind kind, cudaStream_t stream), (destination, source, count, kind, stream))
RINGSIDE_PER_THREAD(cudaMemset, ptds, v7000, (void* pointer, int value, std::size_t count), (pointer, value, count))
RINGSIDE_PER_THREAD(cudaMemsetAsync, ptsz, v7000, (void* pointer, int value, std::size_t count, cudaStream_t stream), (pointer, value, count, stream))
RINGSIDE_PER_THREAD(cudaMallocFromPoolAsync, ptsz, v11020, (void** pointer, std::size_t size, cudaMemPool_t pool, cudaStream_t stream), (pointer, size, pool, stream))
RINGSIDE_PER_THREAD(cudaMemPrefetchAsync, ptsz, v12020, (const void* pointer, std::size_t size, cudaMemLocation place, unsigned flags, cudaStream_t stream), (pointer, size, place, flags, stream))
RINGSIDE_PER_THREAD(cudaMemcpy2D, ptds, v7000, (void* destination, std::size_t destinationPitch, const void* source, std::size_t sourcePitch, std::size_t width, std::size_t height, cudaMemcpyKind kind), (destination, destinationPitch, source, sourcePitch, width, height, kind))
RINGSIDE_PER_THREAD(cudaMemcpy2DAsync, ptsz, v7000, (void* destination, std::size_t destinationPitch, const void* source, std::size_t sourcePitch, std::size_t width, std::size_t height, cudaMemcpyKind kind, cudaStream_t stream), (destination, destinationPitch, source, sourcePitch, width, height, kind, stream))
RINGSIDE_PER_THREAD(cudaMemcpy3D, ptds, v7000, (const cudaMemcpy3DParms* parameters), (parameters))
RINGSIDE_PER_THREAD(cudaMemcpy3DAsync, ptsz, v7000, (const cudaMemcpy3DParms* parameters, cudaStream_t stream), (parameters, stream))
RINGSIDE_PER_THREAD(cudaMemset2D, ptds, v7000, (void* pointer, std::size_t pitch, int value, std::size_t width, std::size_t height), (pointer, pitch, value, width, height))
RINGSIDE_PER_THREAD(cudaMemset2DAsync, ptsz, v7000, (void* pointer, std::size_t pitch, int value, std::size_t width, std::size_t height, cudaStream_t stream), (pointer, pitch, value, width, height, stream))
RINGSIDE_PER_THREAD(cudaLaunchCooperativeKernel, ptsz, v9000, (const void* function, dim3 grid, dim3 block, void** arguments, std::size_t sharedMemory, cudaStream_t stream), (function, grid, block, arguments, sharedMemory, stream))
RINGSIDE_PER_THREAD(cudaMemcpyToSymbol, ptds, v7000, (const void* symbol, const void* source, std::size_t count, std::size_t offset, cudaMemcpyKind kind), (symbol, source, count, offset, kind))
RINGSIDE_PER_THREAD(cudaMemcpyFromSymbol, ptds, v7000, (void* destination, const void* symbol, std::size_t count, std::size_t offset, cudaMemcpyKind kind), (destination, symbol, count, offset, kind))
RINGSIDE_PER_THREAD(cudaMemcpyToSymbolAsync, ptsz, v7000, (const void* symbol, const void* source, std::size_t count, std::size_t offset, cudaMemcpyKind kind, cudaStream_t stream), (symbol, source, count, offset, kind, stream))
RINGSIDE_PER_THREAD(cudaMemcpyFromSymbolAsync, ptsz, v7000, (void* destination, const void* symbol, std::size_t count, std::size_t offset, cudaMemcpyKind kind, cudaStream_t stream), (destination, symbol, count, offset, kind, stream))
RINGSIDE_PER_THREAD(cudaMemset3D, ptds, v7000, (cudaPitchedPtr box, int value, cudaExtent extent), (box, value, extent))
RINGSIDE_PER_THREAD(cudaMemset3DAsync, ptsz, v7000, (cudaPitchedPtr box, int value, cudaExtent extent, cudaStream_t stream), (box, value, extent, stream))
RINGSIDE_PER_THREAD(cudaGetDriverEntryPointByVersion, ptsz, v12050, (const char* symbol, void** function, unsigned version, unsigned long long flags, cudaDriverEntryPointQueryResult* result), (symbol, function, version, flags, result))
// NOLINTEND(bugprone-macro-parentheses)
// clang-format on
