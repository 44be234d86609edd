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

/// result = left * right, on the queue; sums and result in single precision.
void multiply(const Queue& queue, Factor left, Factor right, float* result);

/// One matrix of a sample, cut out of a larger row-major one, and the same place in each sample.
struct Cut {
    Matrix matrix;            ///< of the first sample
    unsigned width = 0;       ///< columns of what it is cut out of
    std::size_t distance = 0; ///< from a sample's to the next one's, elements
};

struct CutFactor {
    Cut cut;
    Transposed transposed = Transposed::No;
};

/// Where a product of cuts goes: a cut without its matrix's size, which follows.
struct CutResult {
    float* data = nullptr;
    unsigned width = 0;
    std::size_t distance = 0;
};

/// result = scale * left * right for each of `samples`, in one call.
void multiplyEach(const Queue& queue, CutFactor left, CutFactor right, float scale, CutResult result,
                  unsigned samples);

} // namespace ringside::trainer
