// SPDX-License-Identifier: Apache-2.0
// Float vector operations.
#include "handle.h"

#include <cblas-openblas.h>

using namespace ringside;

namespace {

platform::WorkShape shapeOf(int elements)
{
    constexpr std::uint32_t kThreads = 256;
    return {.grid = {(static_cast<std::uint32_t>(elements) + kThreads - 1) / kThreads, 1, 1},
            .block = {kThreads, 1, 1}};
}

} // namespace

cublasStatus_t cublasSaxpy_v2(cublasHandle_t handle, int n, const float* alpha, const float* x, int incx,
                              float* y, int incy)
{
    if (handle == nullptr)
        return CUBLAS_STATUS_NOT_INITIALIZED;
    if (alpha == nullptr || x == nullptr || y == nullptr)
        return CUBLAS_STATUS_INVALID_VALUE;
    const cublas::Scalar factor(handle, alpha);
    const platform::WorkCost cost{.flops = 2.0 * n, .memoryBytes = 3.0 * sizeof(float) * n};
    return cublas::enqueue(handle, "ringside_emulated_saxpy", cost, shapeOf(n),
                           [=] { cblas_saxpy(n, factor.get(), x, incx, y, incy); });
}

cublasStatus_t cublasSscal_v2(cublasHandle_t handle, int n, const float* alpha, float* x, int incx)
{
    if (handle == nullptr)
        return CUBLAS_STATUS_NOT_INITIALIZED;
    if (alpha == nullptr || x == nullptr)
        return CUBLAS_STATUS_INVALID_VALUE;
    const cublas::Scalar factor(handle, alpha);
    const platform::WorkCost cost{.flops = 1.0 * n, .memoryBytes = 2.0 * sizeof(float) * n};
    return cublas::enqueue(handle, "ringside_emulated_sscal", cost, shapeOf(n),
                           [=] { cblas_sscal(n, factor.get(), x, incx); });
}
