// SPDX-License-Identifier: Apache-2.0
// Matrix products of all supported types, column-major as in cuBLAS. Half and bfloat16 are widened to float,
// multiplied and accumulated in float, and rounded once; float and double are multiplied as they are.
#pragma once
#include "handle.h"

#include <cublas_v2.h>

namespace ringside::cublas {

/// A matrix of a batch: a base address and a stride in elements, or an array of addresses in device memory
/// that is read when the work runs.
struct Matrix {
    cudaDataType type = CUDA_R_32F;
    int leading = 0;
    const void* base = nullptr;
    long long stride = 0;
    const void* const* array = nullptr;

    [[nodiscard]] bool isNull() const { return base == nullptr && array == nullptr; }
    [[nodiscard]] const void* at(int batch) const;
};

/// alpha or beta: copied at the call in host mode, read when the work runs in device mode.
struct Factor {
    cudaDataType type = CUDA_R_32F;
    const void* onDevice = nullptr;
    double value = 0;
    Factor(cublasHandle_t handle, const void* pointer, cudaDataType of);
    [[nodiscard]] double get() const;
};

struct Gemm {
    cublasOperation_t transA = CUBLAS_OP_N;
    cublasOperation_t transB = CUBLAS_OP_N;
    int m = 0;
    int n = 0;
    int k = 0;
    Factor alpha;
    Matrix a;
    Matrix b;
    Factor beta;
    Matrix c; ///< the output
    int batches = 1;

    /// Computes the product.
    void operator()() const;
    [[nodiscard]] bool valid() const;
    [[nodiscard]] platform::WorkCost cost() const;
    /// As a library that computes tiles of 128 x 128 would launch it.
    [[nodiscard]] platform::WorkShape shape() const;
    [[nodiscard]] const char* kernelName() const;
};

/// Finds the type of alpha and beta for these matrix types and this precision, by the real library's table.
/// Returns false if the combination is not allowed, or not supported here.
[[nodiscard]] bool findScaleType(cudaDataType a, cudaDataType b, cudaDataType c, cublasComputeType_t compute,
                                 cudaDataType& scale);

} // namespace ringside::cublas
