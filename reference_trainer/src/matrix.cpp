// SPDX-License-Identifier: Apache-2.0
#include "matrix.h"

#include "half_copies.h"

namespace ringside::trainer {
namespace {

cublasOperation_t operation(const Factor& factor)
{
    return factor.transposed == Transposed::Yes ? CUBLAS_OP_T : CUBLAS_OP_N;
}

int rows(const Factor& factor)
{
    const Matrix& matrix = factor.matrix;
    return static_cast<int>(factor.transposed == Transposed::Yes ? matrix.columns : matrix.rows);
}

int columns(const Factor& factor)
{
    const Matrix& matrix = factor.matrix;
    return static_cast<int>(factor.transposed == Transposed::Yes ? matrix.rows : matrix.columns);
}

/// A factor as cuBLAS reads it.
struct Operand {
    const void* data = nullptr;
    cudaDataType type = CUDA_R_32F;
};

/// `count` is the number of values from the factor's first one on.
Operand operandOf(const Queue& queue, const Factor& factor, std::size_t count, HalfCopies::Side side)
{
    if (queue.halves == nullptr)
        return {factor.matrix.data, CUDA_R_32F};
    return {queue.halves->of(queue.stream, factor.matrix.data, count, side), queue.halves->type()};
}

std::size_t sizeOf(const Matrix& matrix)
{
    return std::size_t{matrix.rows} * matrix.columns;
}

/// Returns the number of values from the first sample's first one to the last sample's last one.
std::size_t spanOf(const Cut& cut, unsigned samples)
{
    return (samples - 1) * cut.distance + std::size_t{cut.matrix.rows - 1} * cut.width + cut.matrix.columns;
}

} // namespace

void multiply(const Queue& queue, Factor left, Factor right, float* result)
{
    const float one = 1;
    const float zero = 0;
    const Operand first = operandOf(queue, left, sizeOf(left.matrix), HalfCopies::Side::Left);
    const Operand second = operandOf(queue, right, sizeOf(right.matrix), HalfCopies::Side::Right);
    RS_CHECK(cublasGemmEx(queue.blas, operation(right), operation(left), columns(right), rows(left),
                          columns(left), &one, second.data, second.type,
                          static_cast<int>(right.matrix.columns), first.data, first.type,
                          static_cast<int>(left.matrix.columns), &zero, result, CUDA_R_32F, columns(right),
                          CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT));
}

void multiplyEach(const Queue& queue, CutFactor left, CutFactor right, float scale, CutResult result,
                  unsigned samples)
{
    const Factor first{left.cut.matrix, left.transposed};
    const Factor second{right.cut.matrix, right.transposed};
    const float zero = 0;
    const Operand firsts = operandOf(queue, first, spanOf(left.cut, samples), HalfCopies::Side::Left);
    const Operand seconds = operandOf(queue, second, spanOf(right.cut, samples), HalfCopies::Side::Right);
    RS_CHECK(cublasGemmStridedBatchedEx(
        queue.blas, operation(second), operation(first), columns(second), rows(first), columns(first), &scale,
        seconds.data, seconds.type, static_cast<int>(right.cut.width),
        static_cast<long long>(right.cut.distance), firsts.data, firsts.type,
        static_cast<int>(left.cut.width), static_cast<long long>(left.cut.distance), &zero, result.data,
        CUDA_R_32F, static_cast<int>(result.width), static_cast<long long>(result.distance),
        static_cast<int>(samples), CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT));
}

} // namespace ringside::trainer
