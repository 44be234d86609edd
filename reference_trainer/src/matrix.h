// SPDX-License-Identifier: Apache-2.0
// Products of row-major matrices. A row-major matrix is a column-major one transposed: cuBLAS sees every
// matrix here as its transpose, and the operands change places.
#pragma once
#include "layer.h"

namespace ringside::trainer {

/// A row-major matrix whose rows lie one after the other.
struct Matrix {
    const float* data = nullptr;
    unsigned rows = 0;
    unsigned columns = 0;
};

enum class Transposed { No, Yes };

/// A factor of a product, as it is or transposed.
struct Factor {
    Matrix matrix;
    Transposed transposed = Transposed::No;
};

/// result = left * right, on the queue.
void multiply(const Queue& queue, Factor left, Factor right, float* result);

} // namespace ringside::trainer
