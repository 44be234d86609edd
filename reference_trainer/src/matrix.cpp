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

} // namespace ringside::trainer
