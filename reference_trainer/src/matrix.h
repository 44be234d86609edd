// SPDX-License-Identifier: Apache-2.0
// Products of row-major matrices. A row-major matrix is a transposed column-major one: cuBLAS sees every
// matrix here transposed, and the operands swap places.
#pragma once
#include "layer.h"

namespace ringside::trainer {

/// A row-major matrix without gaps between its rows.
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

/// Queues result = left * right; sums and result are in single precision.
void multiply(const Queue& queue, Factor left, Factor right, float* result);

/// A part of a larger row-major matrix for each sample, at the same place in each.
struct Cut {
    Matrix matrix;            ///< of the first sample
    unsigned width = 0;       ///< columns of the larger matrix
    std::size_t distance = 0; ///< elements from one sample's part to the next
};

struct CutFactor {
    Cut cut;
    Transposed transposed = Transposed::No;
};

/// The destination of a product of cuts: a cut without a matrix size, which follows from the factors.
struct CutResult {
    float* data = nullptr;
    unsigned width = 0;
    std::size_t distance = 0;
};

/// Computes result = scale * left * right for each of `samples`, in one call.
void multiplyEach(const Queue& queue, CutFactor left, CutFactor right, float scale, CutResult result,
                  unsigned samples);

} // namespace ringside::trainer
