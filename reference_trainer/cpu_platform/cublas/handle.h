// SPDX-License-Identifier: Apache-2.0
// A cuBLAS handle: its stream and its modes.
#pragma once
#include "platform.h"

#include <cublas_v2.h>

#include <new>

struct cublasContext {
    cudaStream_t stream = nullptr;
    cublasPointerMode_t pointerMode = CUBLAS_POINTER_MODE_HOST;
    cublasMath_t mathMode = CUBLAS_DEFAULT_MATH;
};

namespace ringside::cublas {

/// A scalar argument: copied at the call in host mode, read when the work runs in device mode.
struct Scalar {
    const float* onDevice = nullptr;
    float value = 0;
    Scalar(cublasHandle_t handle, const float* pointer)
    {
        if (handle->pointerMode == CUBLAS_POINTER_MODE_DEVICE)
            onDevice = pointer;
        else
            value = *pointer;
    }
    [[nodiscard]] float get() const { return onDevice == nullptr ? value : *onDevice; }
};

/// Queues `task` (a callable that computes) as one kernel on the handle's stream.
template <class Task>
cublasStatus_t enqueue(cublasHandle_t handle, const char* kernelName, const platform::WorkCost& cost,
                       const platform::WorkShape& shape, Task task)
{
    platform::Work work;
    work.name = kernelName;
    work.cost = cost;
    work.shape = shape;
    work.arithmetic = true;
    work.arg = new Task(task);
    work.clone = [](const void* argument) -> void* {
        return new (std::nothrow) Task(*static_cast<const Task*>(argument));
    };
    work.run = [](void* argument, bool skip) {
        auto* queued = static_cast<Task*>(argument);
        if (!skip)
            (*queued)();
        delete queued;
    };
    return ringside_platform_enqueue(handle->stream, &work) == cudaSuccess ? CUBLAS_STATUS_SUCCESS
                                                                           : CUBLAS_STATUS_EXECUTION_FAILED;
}

} // namespace ringside::cublas
