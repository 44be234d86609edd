// SPDX-License-Identifier: Apache-2.0
// Float matrix products, column-major as cuBLAS has them, computed by OpenBLAS on the stream's thread.
#include "handle.h"

#include <cblas-openblas.h>

#include <algorithm>
#include <initializer_list>

namespace ringside::cublas {
namespace {

struct Matrix {
    const float* data;
    int leading;
    long long stride;
};

struct Gemm {
    cublasOperation_t transA;
    cublasOperation_t transB;
    int m;
    int n;
    int k;
    Scalar alpha;
    Matrix a;
    Matrix b;
    Scalar beta;
    float* c;
    int leadingC;
    long long strideC;
    int batches;

    void operator()() const
    {
        const auto transposition = [](cublasOperation_t op) {
            return op == CUBLAS_OP_N ? CblasNoTrans : CblasTrans;
        };
        for (int i = 0; i < batches; ++i)
            cblas_sgemm(CblasColMajor, transposition(transA), transposition(transB), m, n, k, alpha.get(),
                        a.data + i * a.stride, a.leading, b.data + i * b.stride, b.leading, beta.get(),
                        c + i * strideC, leadingC);
    }
    [[nodiscard]] bool valid() const
    {
        const auto known = [](cublasOperation_t op) {
            return op == CUBLAS_OP_N || op == CUBLAS_OP_T || op == CUBLAS_OP_C;
        };
        return m >= 0 && n >= 0 && k >= 0 && batches >= 0 && known(transA) && known(transB) &&
               a.leading >= std::max(1, transA == CUBLAS_OP_N ? m : k) &&
               b.leading >= std::max(1, transB == CUBLAS_OP_N ? k : n) && leadingC >= std::max(1, m);
    }
    [[nodiscard]] platform::WorkCost cost() const
    {
        const double rows = m;
        const double columns = n;
        const double inner = k;
        const double elements = rows * inner + inner * columns + 2 * rows * columns;
        return {.flops = 2 * rows * columns * inner * batches,
                .memoryBytes = sizeof(float) * elements * batches};
    }
    [[nodiscard]] const char* kernelName() const
    {
        static constexpr const char* kNames[2][2] = {
            {"ringside_emulated_sgemm_128x128_nn", "ringside_emulated_sgemm_128x128_nt"},
            {"ringside_emulated_sgemm_128x128_tn", "ringside_emulated_sgemm_128x128_tt"}};
        return kNames[transA == CUBLAS_OP_N ? 0 : 1][transB == CUBLAS_OP_N ? 0 : 1];
    }
};

bool anyNull(std::initializer_list<const void*> pointers)
{
    return std::find(pointers.begin(), pointers.end(), nullptr) != pointers.end();
}

cublasStatus_t run(cublasHandle_t handle, const Gemm& gemm)
{
    if (!gemm.valid())
        return CUBLAS_STATUS_INVALID_VALUE;
    if (gemm.m == 0 || gemm.n == 0 || gemm.batches == 0)
        return CUBLAS_STATUS_SUCCESS;
    if (anyNull({gemm.a.data, gemm.b.data, gemm.c}))
        return CUBLAS_STATUS_INVALID_VALUE;
    return enqueue(handle, gemm.kernelName(), gemm.cost(), gemm);
}

} // namespace
} // namespace ringside::cublas

using namespace ringside::cublas;

// The vendor's signatures. NOLINTBEGIN(readability-function-size)
cublasStatus_t cublasSgemm_v2(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb,
                              int m, int n, int k, const float* alpha, const float* A, int lda,
                              const float* B, int ldb, const float* beta, float* C, int ldc)
{
    return cublasSgemmStridedBatched(handle, transa, transb, m, n, k, alpha, A, lda, 0, B, ldb, 0, beta, C,
                                     ldc, 0, 1);
}

cublasStatus_t cublasSgemmStridedBatched(cublasHandle_t handle, cublasOperation_t transa,
                                         cublasOperation_t transb, int m, int n, int k, const float* alpha,
                                         const float* A, int lda, long long int strideA, const float* B,
                                         int ldb, long long int strideB, const float* beta, float* C, int ldc,
                                         long long int strideC, int batchCount)
{
    if (handle == nullptr)
        return CUBLAS_STATUS_NOT_INITIALIZED;
    if (anyNull({alpha, beta}))
        return CUBLAS_STATUS_INVALID_VALUE;
    return run(handle, {transa,
                        transb,
                        m,
                        n,
                        k,
                        Scalar(handle, alpha),
                        {A, lda, strideA},
                        {B, ldb, strideB},
                        Scalar(handle, beta),
                        C,
                        ldc,
                        strideC,
                        batchCount});
}

cublasStatus_t cublasGemmEx(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m,
                            int n, int k, const void* alpha, const void* A, cudaDataType aType, int lda,
                            const void* B, cudaDataType bType, int ldb, const void* beta, void* C,
                            cudaDataType cType, int ldc, cublasComputeType_t computeType, cublasGemmAlgo_t)
{
    const bool isFloat = aType == CUDA_R_32F && bType == CUDA_R_32F && cType == CUDA_R_32F;
    const bool inFloat = computeType == CUBLAS_COMPUTE_32F || computeType == CUBLAS_COMPUTE_32F_PEDANTIC ||
                         computeType == CUBLAS_COMPUTE_32F_FAST_TF32;
    static int said = 0;
    if (!isFloat || !inFloat)
        return static_cast<cublasStatus_t>(ringside_platform_stub("cublasGemmEx with other types than float",
                                                                  &said, CUBLAS_STATUS_NOT_SUPPORTED));
    return cublasSgemm_v2(handle, transa, transb, m, n, k, static_cast<const float*>(alpha),
                          static_cast<const float*>(A), lda, static_cast<const float*>(B), ldb,
                          static_cast<const float*>(beta), static_cast<float*>(C), ldc);
}
// NOLINTEND(readability-function-size)
