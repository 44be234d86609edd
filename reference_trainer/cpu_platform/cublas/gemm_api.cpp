// SPDX-License-Identifier: Apache-2.0
// The public matrix products: each one sets its types and calls the common function.
#include "gemm.h"

#include <algorithm>
#include <initializer_list>

using namespace ringside::cublas;

namespace {

bool anyNull(std::initializer_list<const void*> pointers)
{
    return std::find(pointers.begin(), pointers.end(), nullptr) != pointers.end();
}

/// The arguments that all of them have.
struct Call {
    cublasHandle_t handle = nullptr;
    cublasOperation_t transA = CUBLAS_OP_N;
    cublasOperation_t transB = CUBLAS_OP_N;
    int m = 0;
    int n = 0;
    int k = 0;
    const void* alpha = nullptr;
    Matrix a;
    Matrix b;
    const void* beta = nullptr;
    Matrix c;
    int batches = 1;
    cudaDataType scale = CUDA_R_32F; ///< type of alpha and beta
};

cublasStatus_t run(const Call& call)
{
    if (call.handle == nullptr)
        return CUBLAS_STATUS_NOT_INITIALIZED;
    if (anyNull({call.alpha, call.beta}))
        return CUBLAS_STATUS_INVALID_VALUE;
    const Gemm gemm{call.transA, call.transB, call.m,
                    call.n,      call.k,      Factor(call.handle, call.alpha, call.scale),
                    call.a,      call.b,      Factor(call.handle, call.beta, call.scale),
                    call.c,      call.batches};
    if (!gemm.valid())
        return CUBLAS_STATUS_INVALID_VALUE;
    if (gemm.m == 0 || gemm.n == 0 || gemm.batches == 0)
        return CUBLAS_STATUS_SUCCESS;
    if (gemm.a.isNull() || gemm.b.isNull() || gemm.c.isNull())
        return CUBLAS_STATUS_INVALID_VALUE;
    return enqueue(call.handle, gemm.kernelName(), gemm.cost(), gemm.shape(), gemm);
}

// The types of alpha and beta follow from the others'.
cublasStatus_t runWithTypes(Call call, cublasComputeType_t compute)
{
    if (call.handle == nullptr)
        return CUBLAS_STATUS_NOT_INITIALIZED;
    static int said = 0;
    if (!findScaleType(call.a.type, call.b.type, call.c.type, compute, call.scale))
        return static_cast<cublasStatus_t>(ringside_platform_stub(
            "this combination of matrix and compute types", &said, CUBLAS_STATUS_NOT_SUPPORTED));
    return run(call);
}

template <class Element>
Matrix batchOf(cudaDataType type, const Element* const array[], int leading)
{
    return {.type = type, .leading = leading, .array = reinterpret_cast<const void* const*>(array)};
}

} // namespace

// The vendor's signatures. NOLINTBEGIN(readability-function-size)
#define RINGSIDE_GEMM_OF(product, strided, batched, element, type)                                           \
    cublasStatus_t product(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m, \
                           int n, int k, const element* alpha, const element* A, int lda, const element* B,  \
                           int ldb, const element* beta, element* C, int ldc)                                \
    {                                                                                                        \
        const Matrix a{type, lda, A};                                                                        \
        const Matrix b{type, ldb, B};                                                                        \
        return run({handle, transa, transb, m, n, k, alpha, a, b, beta, {type, ldc, C}, 1, type});           \
    }                                                                                                        \
    cublasStatus_t strided(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m, \
                           int n, int k, const element* alpha, const element* A, int lda,                    \
                           long long int strideA, const element* B, int ldb, long long int strideB,          \
                           const element* beta, element* C, int ldc, long long int strideC, int batchCount)  \
    {                                                                                                        \
        const Matrix a{type, lda, A, strideA};                                                               \
        const Matrix b{type, ldb, B, strideB};                                                               \
        const Matrix c{type, ldc, C, strideC};                                                               \
        return run({handle, transa, transb, m, n, k, alpha, a, b, beta, c, batchCount, type});               \
    }                                                                                                        \
    cublasStatus_t batched(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m, \
                           int n, int k, const element* alpha, const element* const Aarray[], int lda,       \
                           const element* const Barray[], int ldb, const element* beta,                      \
                           element* const Carray[], int ldc, int batchCount)                                 \
    {                                                                                                        \
        const Matrix a = batchOf(type, Aarray, lda);                                                         \
        const Matrix b = batchOf(type, Barray, ldb);                                                         \
        const Matrix c = batchOf(type, Carray, ldc);                                                         \
        return run({handle, transa, transb, m, n, k, alpha, a, b, beta, c, batchCount, type});               \
    }
RINGSIDE_GEMM_OF(cublasSgemm_v2, cublasSgemmStridedBatched, cublasSgemmBatched, float, CUDA_R_32F)
RINGSIDE_GEMM_OF(cublasDgemm_v2, cublasDgemmStridedBatched, cublasDgemmBatched, double, CUDA_R_64F)
RINGSIDE_GEMM_OF(cublasHgemm, cublasHgemmStridedBatched, cublasHgemmBatched, __half, CUDA_R_16F)
#undef RINGSIDE_GEMM_OF

cublasStatus_t cublasGemmEx(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m,
                            int n, int k, const void* alpha, const void* A, cudaDataType aType, int lda,
                            const void* B, cudaDataType bType, int ldb, const void* beta, void* C,
                            cudaDataType cType, int ldc, cublasComputeType_t computeType, cublasGemmAlgo_t)
{
    const Matrix a{aType, lda, A};
    const Matrix b{bType, ldb, B};
    const Matrix c{cType, ldc, C};
    return runWithTypes({handle, transa, transb, m, n, k, alpha, a, b, beta, c, 1, {}}, computeType);
}

cublasStatus_t cublasGemmStridedBatchedEx(cublasHandle_t handle, cublasOperation_t transa,
                                          cublasOperation_t transb, int m, int n, int k, const void* alpha,
                                          const void* A, cudaDataType aType, int lda, long long int strideA,
                                          const void* B, cudaDataType bType, int ldb, long long int strideB,
                                          const void* beta, void* C, cudaDataType cType, int ldc,
                                          long long int strideC, int batchCount,
                                          cublasComputeType_t computeType, cublasGemmAlgo_t)
{
    const Matrix a{aType, lda, A, strideA};
    const Matrix b{bType, ldb, B, strideB};
    const Matrix c{cType, ldc, C, strideC};
    return runWithTypes({handle, transa, transb, m, n, k, alpha, a, b, beta, c, batchCount, {}}, computeType);
}

cublasStatus_t cublasGemmBatchedEx(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb,
                                   int m, int n, int k, const void* alpha, const void* const Aarray[],
                                   cudaDataType aType, int lda, const void* const Barray[],
                                   cudaDataType bType, int ldb, const void* beta, void* const Carray[],
                                   cudaDataType cType, int ldc, int batchCount,
                                   cublasComputeType_t computeType, cublasGemmAlgo_t)
{
    const Matrix a{.type = aType, .leading = lda, .array = Aarray};
    const Matrix b{.type = bType, .leading = ldb, .array = Barray};
    const Matrix c{.type = cType, .leading = ldc, .array = Carray};
    return runWithTypes({handle, transa, transb, m, n, k, alpha, a, b, beta, c, batchCount, {}}, computeType);
}
// NOLINTEND(readability-function-size)
