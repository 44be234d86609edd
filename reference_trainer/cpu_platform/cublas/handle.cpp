// SPDX-License-Identifier: Apache-2.0
#include "handle.h"

#include <cblas-openblas.h>

#include <new>

namespace {

// Runs `body` if the handle is valid.
template <class Body>
cublasStatus_t with(cublasHandle_t handle, Body&& body)
{
    if (handle == nullptr)
        return CUBLAS_STATUS_NOT_INITIALIZED;
    return body(*handle);
}

template <class Value>
cublasStatus_t tell(cublasHandle_t handle, Value* value, Value cublasContext::*member)
{
    return with(handle, [&](cublasContext& context) {
        if (value == nullptr)
            return CUBLAS_STATUS_INVALID_VALUE;
        *value = context.*member;
        return CUBLAS_STATUS_SUCCESS;
    });
}

constexpr int kVersion = 130100;

} // namespace

cublasStatus_t cublasCreate_v2(cublasHandle_t* handle)
{
    int device = 0;
    if (handle == nullptr)
        return CUBLAS_STATUS_INVALID_VALUE;
    if (cudaGetDevice(&device) != cudaSuccess)
        return CUBLAS_STATUS_NOT_INITIALIZED;
    // A stream has one thread, and several ranks share the machine.
    openblas_set_num_threads(1);
    *handle = new (std::nothrow) cublasContext;
    return *handle == nullptr ? CUBLAS_STATUS_ALLOC_FAILED : CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasDestroy_v2(cublasHandle_t handle)
{
    return with(handle, [](cublasContext& context) {
        delete &context;
        return CUBLAS_STATUS_SUCCESS;
    });
}

cublasStatus_t cublasGetVersion_v2(cublasHandle_t, int* version)
{
    if (version == nullptr)
        return CUBLAS_STATUS_INVALID_VALUE;
    *version = kVersion;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasSetStream_v2(cublasHandle_t handle, cudaStream_t stream)
{
    return with(handle, [&](cublasContext& context) {
        context.stream = stream;
        return CUBLAS_STATUS_SUCCESS;
    });
}

cublasStatus_t cublasGetStream_v2(cublasHandle_t handle, cudaStream_t* stream)
{
    return tell(handle, stream, &cublasContext::stream);
}

cublasStatus_t cublasSetWorkspace_v2(cublasHandle_t handle, void*, std::size_t)
{
    // OpenBLAS has its own workspace
    return with(handle, [](cublasContext&) { return CUBLAS_STATUS_SUCCESS; });
}

cublasStatus_t cublasSetMathMode(cublasHandle_t handle, cublasMath_t mode)
{
    return with(handle, [&](cublasContext& context) {
        context.mathMode = mode; // computation is always in float; lower precision would not be faster here
        return CUBLAS_STATUS_SUCCESS;
    });
}

cublasStatus_t cublasGetMathMode(cublasHandle_t handle, cublasMath_t* mode)
{
    return tell(handle, mode, &cublasContext::mathMode);
}

cublasStatus_t cublasSetPointerMode_v2(cublasHandle_t handle, cublasPointerMode_t mode)
{
    return with(handle, [&](cublasContext& context) {
        if (mode != CUBLAS_POINTER_MODE_HOST && mode != CUBLAS_POINTER_MODE_DEVICE)
            return CUBLAS_STATUS_INVALID_VALUE;
        context.pointerMode = mode;
        return CUBLAS_STATUS_SUCCESS;
    });
}

cublasStatus_t cublasGetPointerMode_v2(cublasHandle_t handle, cublasPointerMode_t* mode)
{
    return tell(handle, mode, &cublasContext::pointerMode);
}

const char* cublasGetStatusName(cublasStatus_t status)
{
    switch (status) {
    case CUBLAS_STATUS_SUCCESS:
        return "CUBLAS_STATUS_SUCCESS";
    case CUBLAS_STATUS_NOT_INITIALIZED:
        return "CUBLAS_STATUS_NOT_INITIALIZED";
    case CUBLAS_STATUS_ALLOC_FAILED:
        return "CUBLAS_STATUS_ALLOC_FAILED";
    case CUBLAS_STATUS_INVALID_VALUE:
        return "CUBLAS_STATUS_INVALID_VALUE";
    case CUBLAS_STATUS_EXECUTION_FAILED:
        return "CUBLAS_STATUS_EXECUTION_FAILED";
    case CUBLAS_STATUS_NOT_SUPPORTED:
        return "CUBLAS_STATUS_NOT_SUPPORTED";
    default:
        return "unknown cuBLAS status";
    }
}

const char* cublasGetStatusString(cublasStatus_t status)
{
    return cublasGetStatusName(status);
}
