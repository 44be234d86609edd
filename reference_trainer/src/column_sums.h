// SPDX-License-Identifier: Apache-2.0
// Sums of a matrix's columns, such as the gradient of a bias: over many rows in two steps, for parallelism
// and precision.
#pragma once
#include "layer.h"

namespace ringside::trainer {

class ColumnSums final {
public:
    ColumnSums() = default;
    /// For row-major matrices of up to `rows` rows of `width`.
    ColumnSums(unsigned rows, unsigned width);

    /// sums[column] over `rows` rows, on the queue.
    void operator()(const Queue& queue, const float* values, unsigned rows, float* sums) const;

private:
    unsigned m_width = 0;
    DeviceArray<float> m_partial;
};

} // namespace ringside::trainer
