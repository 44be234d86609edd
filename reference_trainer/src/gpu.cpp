// SPDX-License-Identifier: Apache-2.0
#include "gpu.h"

#include <fmt/format.h>

namespace ringside::trainer {

void check(cudaError_t result, const char* call)
{
    if (result != cudaSuccess)
        throw Failure(fmt::format("{}: {} ({})", call, cudaGetErrorString(result), cudaGetErrorName(result)));
}

void check(cublasStatus_t result, const char* call)
{
    if (result != CUBLAS_STATUS_SUCCESS)
        throw Failure(fmt::format("{}: cuBLAS status {}", call, static_cast<int>(result)));
}

void check(ncclResult_t result, const char* call)
{
    if (result != ncclSuccess)
        throw Failure(fmt::format("{}: {}; {}", call, ncclGetErrorString(result), ncclGetLastError(nullptr)));
}

Stream makeStream()
{
    cudaStream_t stream = nullptr;
    RS_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    return Stream(stream);
}

Event makeEvent()
{
    cudaEvent_t event = nullptr;
    RS_CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    return Event(event);
}

Event makeTimingEvent()
{
    cudaEvent_t event = nullptr;
    RS_CHECK(cudaEventCreate(&event));
    return Event(event);
}

void order(cudaStream_t from, cudaEvent_t before, cudaStream_t to)
{
    RS_CHECK(cudaEventRecord(before, from));
    RS_CHECK(cudaStreamWaitEvent(to, before, 0));
}

} // namespace ringside::trainer
