// SPDX-License-Identifier: Apache-2.0
// The public matrix products: each says its types and hands on.
#include "gemm.h"

#include <algorithm>
#include <initializer_list>

using namespace ringside::cublas;

namespace {

bool anyNull(std::initializer_list<const void*> pointers)
{
    return std::find(pointers.begin(), pointers.end(), nullptr) != pointers.end();
}

/// What all of them have in common.
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
    return enqueue(call.handle, gemm.kernelName(), gemm.cost(), gemm);
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
cublasStatus_t cublasSgemm_v2(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb,
                              int m, int n, int k, const float* alpha, const float* A, int lda,
                              const float* B, int ldb, const float* beta, float* C, int ldc)
{
    return run({handle,
                transa,
                transb,
                m,
                n,
                k,
                alpha,
                {CUDA_R_32F, lda, A},
                {CUDA_R_32F, ldb, B},
                beta,
                {CUDA_R_32F, ldc, C},
                1,
                CUDA_R_32F});
}

cublasStatus_t cublasSgemmStridedBatched(cublasHandle_t handle, cublasOperation_t transa,
                                         cublasOperation_t transb, int m, int n, int k, const float* alpha,
                                         const float* A, int lda, long long int strideA, const float* B,
                                         int ldb, long long int strideB, const float* beta, float* C, int ldc,
                                         long long int strideC, int batchCount)
{
    return run({handle,
                transa,
                transb,
                m,
                n,
                k,
                alpha,
                {CUDA_R_32F, lda, A, strideA},
                {CUDA_R_32F, ldb, B, strideB},
                beta,
                {CUDA_R_32F, ldc, C, strideC},
                batchCount,
                CUDA_R_32F});
}

cublasStatus_t cublasSgemmBatched(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb,
                                  int m, int n, int k, const float* alpha, const float* const Aarray[],
                                  int lda, const float* const Barray[], int ldb, const float* beta,
                                  float* const Carray[], int ldc, int batchCount)
{
    return run({handle, transa, transb, m, n, k, alpha, batchOf(CUDA_R_32F, Aarray, lda),
                batchOf(CUDA_R_32F, Barray, ldb), beta, batchOf(CUDA_R_32F, Carray, ldc), batchCount,
                CUDA_R_32F});
}

cublasStatus_t cublasDgemm_v2(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb,
                              int m, int n, int k, const double* alpha, const double* A, int lda,
                              const double* B, int ldb, const double* beta, double* C, int ldc)
{
    return run({handle,
                transa,
                transb,
                m,
                n,
                k,
                alpha,
                {CUDA_R_64F, lda, A},
                {CUDA_R_64F, ldb, B},
                beta,
                {CUDA_R_64F, ldc, C},
                1,
                CUDA_R_64F});
}

cublasStatus_t cublasDgemmStridedBatched(cublasHandle_t handle, cublasOperation_t transa,
                                         cublasOperation_t transb, int m, int n, int k, const double* alpha,
                                         const double* A, int lda, long long int strideA, const double* B,
                                         int ldb, long long int strideB, const double* beta, double* C,
                                         int ldc, long long int strideC, int batchCount)
{
    return run({handle,
                transa,
                transb,
                m,
                n,
                k,
                alpha,
                {CUDA_R_64F, lda, A, strideA},
                {CUDA_R_64F, ldb, B, strideB},
                beta,
                {CUDA_R_64F, ldc, C, strideC},
                batchCount,
                CUDA_R_64F});
}

cublasStatus_t cublasDgemmBatched(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb,
                                  int m, int n, int k, const double* alpha, const double* const Aarray[],
                                  int lda, const double* const Barray[], int ldb, const double* beta,
                                  double* const Carray[], int ldc, int batchCount)
{
    return run({handle, transa, transb, m, n, k, alpha, batchOf(CUDA_R_64F, Aarray, lda),
                batchOf(CUDA_R_64F, Barray, ldb), beta, batchOf(CUDA_R_64F, Carray, ldc), batchCount,
                CUDA_R_64F});
}

cublasStatus_t cublasHgemm(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m,
                           int n, int k, const __half* alpha, const __half* A, int lda, const __half* B,
                           int ldb, const __half* beta, __half* C, int ldc)
{
    return run({handle,
                transa,
                transb,
                m,
                n,
                k,
                alpha,
                {CUDA_R_16F, lda, A},
                {CUDA_R_16F, ldb, B},
                beta,
                {CUDA_R_16F, ldc, C},
                1,
                CUDA_R_16F});
}

cublasStatus_t cublasHgemmStridedBatched(cublasHandle_t handle, cublasOperation_t transa,
                                         cublasOperation_t transb, int m, int n, int k, const __half* alpha,
                                         const __half* A, int lda, long long int strideA, const __half* B,
                                         int ldb, long long int strideB, const __half* beta, __half* C,
                                         int ldc, long long int strideC, int batchCount)
{
    return run({handle,
                transa,
                transb,
                m,
                n,
                k,
                alpha,
                {CUDA_R_16F, lda, A, strideA},
                {CUDA_R_16F, ldb, B, strideB},
                beta,
                {CUDA_R_16F, ldc, C, strideC},
                batchCount,
                CUDA_R_16F});
}

cublasStatus_t cublasHgemmBatched(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb,
                                  int m, int n, int k, const __half* alpha, const __half* const Aarray[],
                                  int lda, const __half* const Barray[], int ldb, const __half* beta,
                                  __half* const Carray[], int ldc, int batchCount)
{
    return run({handle, transa, transb, m, n, k, alpha, batchOf(CUDA_R_16F, Aarray, lda),
                batchOf(CUDA_R_16F, Barray, ldb), beta, batchOf(CUDA_R_16F, Carray, ldc), batchCount,
                CUDA_R_16F});
}

cublasStatus_t cublasGemmEx(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m,
                            int n, int k, const void* alpha, const void* A, cudaDataType aType, int lda,
                            const void* B, cudaDataType bType, int ldb, const void* beta, void* C,
                            cudaDataType cType, int ldc, cublasComputeType_t computeType, cublasGemmAlgo_t)
{
    return runWithTypes({handle,
                         transa,
                         transb,
                         m,
                         n,
                         k,
                         alpha,
                         {aType, lda, A},
                         {bType, ldb, B},
                         beta,
                         {cType, ldc, C},
                         1,
                         {}},
                        computeType);
}

cublasStatus_t cublasGemmStridedBatchedEx(cublasHandle_t handle, cublasOperation_t transa,
                                          cublasOperation_t transb, int m, int n, int k, const void* alpha,
                                          const void* A, cudaDataType aType, int lda, long long int strideA,
                                          const void* B, cudaDataType bType, int ldb, long long int strideB,
                                          const void* beta, void* C, cudaDataType cType, int ldc,
                                          long long int strideC, int batchCount,
                                          cublasComputeType_t computeType, cublasGemmAlgo_t)
{
    return runWithTypes({handle,
                         transa,
                         transb,
                         m,
                         n,
                         k,
                         alpha,
                         {aType, lda, A, strideA},
                         {bType, ldb, B, strideB},
                         beta,
                         {cType, ldc, C, strideC},
                         batchCount,
                         {}},
                        computeType);
}

cublasStatus_t cublasGemmBatchedEx(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb,
                                   int m, int n, int k, const void* alpha, const void* const Aarray[],
                                   cudaDataType aType, int lda, const void* const Barray[],
                                   cudaDataType bType, int ldb, const void* beta, void* const Carray[],
                                   cudaDataType cType, int ldc, int batchCount,
                                   cublasComputeType_t computeType, cublasGemmAlgo_t)
{
    return runWithTypes({handle,
                         transa,
                         transb,
                         m,
                         n,
                         k,
                         alpha,
                         {.type = aType, .leading = lda, .array = Aarray},
                         {.type = bType, .leading = ldb, .array = Barray},
                         beta,
                         {.type = cType, .leading = ldc, .array = Carray},
                         batchCount,
                         {}},
                        computeType);
}
// NOLINTEND(readability-function-size)
