// SPDX-License-Identifier: Apache-2.0
// What the fake torch beside this file does on the GPU, or on the CPU platform: a program's calls of CUDA,
// NCCL and NVTX, through the dynamic linker as PyTorch makes them, so that the collector sees them.
#include <cuda_runtime.h>
#include <nccl.h>

#include <nvtx3/nvToolsExt.h>

#include <cstdio>
#include <cstdlib>
#include <iterator>

#define EXPORTED extern "C" __attribute__((visibility("default")))

extern "C" {
void** __cudaRegisterFatBinary(void* fatBinary);
void __cudaRegisterFatBinaryEnd(void** handle);
void __cudaRegisterFunction(void** handle, const char* hostFunction, char* deviceFunction,
                            const char* deviceName, int threadLimit, uint3* thread, uint3* block,
                            dim3* blockSize, dim3* gridSize, int* warpSize);
}

// Host versions of kernels, which compute nothing, and what they cost, as the CPU platform looks them up.
// Their one argument is the time that they take on a device of kFlops (device_model.conf).
#define KERNEL(name)                                                                                         \
    EXPORTED const unsigned ringside_cpu_args_##name[] = {1, sizeof(double)};                                \
    EXPORTED void ringside_cpu_kernel_##name(void**, unsigned, unsigned) {}                                  \
    EXPORTED void ringside_cpu_cost_##name(void** arguments, unsigned, double* flops, double* bytes)         \
    {                                                                                                        \
        *flops = *static_cast<double*>(arguments[0]) / 1e9 * kFlops;                                         \
        *bytes = 0;                                                                                          \
    }
constexpr double kFlops = 1e12;
KERNEL(gemm)
KERNEL(spin)

namespace {

constexpr const char* kNames[] = {"gemm", "spin"};
const char g_kernels[std::size(kNames)] = {}; // their addresses stand for the kernels

void require(bool fine, const char* what)
{
    if (!fine) {
        std::fprintf(stderr, "fake torch: %s failed\n", what);
        std::abort();
    }
}

void registerKernels()
{
    void** const module = __cudaRegisterFatBinary(nullptr);
    for (std::size_t kernel = 0; kernel < std::size(kNames); ++kernel)
        __cudaRegisterFunction(module, &g_kernels[kernel], nullptr, kNames[kernel], -1, nullptr, nullptr,
                               nullptr, nullptr, nullptr);
    __cudaRegisterFatBinaryEnd(module);
}

} // namespace

EXPORTED void gpuBegin(int device)
{
    require(cudaSetDevice(device) == cudaSuccess, "cudaSetDevice");
    static const bool registered = (registerKernels(), true);
    static_cast<void>(registered);
}
EXPORTED void gpuLaunch(int kernel, double ns, cudaStream_t stream)
{
    void* arguments[] = {&ns};
    require(cudaLaunchKernel(&g_kernels[kernel], dim3(1), dim3(1), arguments, 0, stream) == cudaSuccess,
            "cudaLaunchKernel");
}
/// nullptr: there is not so much memory.
EXPORTED void* gpuAllocate(std::size_t bytes, bool onHost)
{
    void* found = nullptr;
    const cudaError_t error = onHost ? cudaMallocHost(&found, bytes) : cudaMalloc(&found, bytes);
    return error == cudaSuccess ? found : nullptr;
}
EXPORTED void gpuCopy(void* to, const void* from, std::size_t bytes, int kind, cudaStream_t stream)
{
    require(cudaMemcpyAsync(to, from, bytes, static_cast<cudaMemcpyKind>(kind), stream) == cudaSuccess,
            "cudaMemcpyAsync");
}
EXPORTED void gpuSynchronize()
{
    require(cudaDeviceSynchronize() == cudaSuccess, "cudaDeviceSynchronize");
}
EXPORTED cudaStream_t gpuStream()
{
    cudaStream_t stream = nullptr;
    require(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) == cudaSuccess,
            "cudaStreamCreateWithFlags");
    return stream;
}
EXPORTED cudaEvent_t gpuEvent(bool timed)
{
    cudaEvent_t event = nullptr;
    require(cudaEventCreateWithFlags(&event, timed ? cudaEventDefault : cudaEventDisableTiming) ==
                cudaSuccess,
            "cudaEventCreate");
    return event;
}
EXPORTED void gpuRecord(cudaEvent_t event, cudaStream_t stream)
{
    require(cudaEventRecord(event, stream) == cudaSuccess, "cudaEventRecord");
}
EXPORTED bool gpuReached(cudaEvent_t event)
{
    return cudaEventQuery(event) == cudaSuccess;
}
EXPORTED double gpuElapsedMs(cudaEvent_t start, cudaEvent_t end)
{
    float ms = 0;
    require(cudaEventElapsedTime(&ms, start, end) == cudaSuccess, "cudaEventElapsedTime");
    return static_cast<double>(ms);
}
EXPORTED void gpuWait(cudaStream_t stream, cudaEvent_t event)
{
    require(cudaStreamWaitEvent(stream, event, 0) == cudaSuccess, "cudaStreamWaitEvent");
}
EXPORTED void gpuMemory(std::size_t* free, std::size_t* total)
{
    require(cudaMemGetInfo(free, total) == cudaSuccess, "cudaMemGetInfo");
}
EXPORTED void gpuName(char* name, int bytes)
{
    cudaDeviceProp properties{};
    require(cudaGetDeviceProperties(&properties, 0) == cudaSuccess, "cudaGetDeviceProperties");
    std::snprintf(name, static_cast<std::size_t>(bytes), "%s", properties.name);
}
EXPORTED void gpuCapture(cudaStream_t stream)
{
    require(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal) == cudaSuccess,
            "cudaStreamBeginCapture");
}
EXPORTED cudaGraphExec_t gpuCaptured(cudaStream_t stream)
{
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t found = nullptr;
    require(cudaStreamEndCapture(stream, &graph) == cudaSuccess, "cudaStreamEndCapture");
    require(cudaGraphInstantiate(&found, graph, 0) == cudaSuccess, "cudaGraphInstantiate");
    return found;
}
EXPORTED void gpuReplay(cudaGraphExec_t graph, cudaStream_t stream)
{
    require(cudaGraphLaunch(graph, stream) == cudaSuccess, "cudaGraphLaunch");
}

EXPORTED void ncclId(ncclUniqueId* id)
{
    require(ncclGetUniqueId(id) == ncclSuccess, "ncclGetUniqueId");
}
EXPORTED ncclComm_t ncclBegin(int ranks, int rank, const ncclUniqueId* id)
{
    ncclComm_t communicator = nullptr;
    require(ncclCommInitRank(&communicator, ranks, *id, rank) == ncclSuccess, "ncclCommInitRank");
    return communicator;
}
EXPORTED void allReduce(void* data, std::size_t count, ncclComm_t communicator, cudaStream_t stream)
{
    require(ncclAllReduce(data, data, count, ncclFloat, ncclSum, communicator, stream) == ncclSuccess,
            "ncclAllReduce");
}
EXPORTED void broadcast(void* data, std::size_t count, ncclComm_t communicator, cudaStream_t stream)
{
    require(ncclBroadcast(data, data, count, ncclFloat, 0, communicator, stream) == ncclSuccess,
            "ncclBroadcast");
}
EXPORTED int ncclVersion()
{
    int found = 0;
    require(ncclGetVersion(&found) == ncclSuccess, "ncclGetVersion");
    return found;
}
EXPORTED void ncclEnd(ncclComm_t communicator)
{
    require(ncclCommDestroy(communicator) == ncclSuccess, "ncclCommDestroy");
}

EXPORTED void rangePush(const char* name)
{
    nvtxRangePushA(name);
}
EXPORTED void rangePop()
{
    nvtxRangePop();
}
