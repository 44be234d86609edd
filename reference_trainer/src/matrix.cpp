// SPDX-License-Identifier: Apache-2.0
#include "matrix.h"

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

} // namespace

void multiply(const Queue& queue, Factor left, Factor right, float* result)
{
    const float one = 1;
    const float zero = 0;
    RS_CHECK(cublasSgemm(queue.blas, operation(right), operation(left), columns(right), rows(left),
                         columns(left), &one, right.matrix.data, static_cast<int>(right.matrix.columns),
                         left.matrix.data, static_cast<int>(left.matrix.columns), &zero, result,
                         columns(right)));
}

void multiplyEach(const Queue& queue, CutFactor left, CutFactor right, float scale, CutResult result,
                  unsigned samples)
{
    const Factor first{left.cut.matrix, left.transposed};
    const Factor second{right.cut.matrix, right.transposed};
    const float zero = 0;
    RS_CHECK(cublasSgemmStridedBatched(
        queue.blas, operation(second), operation(first), columns(second), rows(first), columns(first), &scale,
        second.matrix.data, static_cast<int>(right.cut.width), static_cast<long long>(right.cut.distance),
        first.matrix.data, static_cast<int>(left.cut.width), static_cast<long long>(left.cut.distance), &zero,
        result.data, static_cast<int>(result.width), static_cast<long long>(result.distance),
        static_cast<int>(samples)));
}

} // namespace ringside::trainer
