// SPDX-License-Identifier: Apache-2.0
#include "column_sums.h"

#include "kernels/kernels.h"

namespace ringside::trainer {
namespace {

/// About the square root of the number of rows of a rank's share of a batch in a convolution.
constexpr unsigned kRowsASum = 128;

constexpr unsigned sumsOver(unsigned rows)
{
    return (rows + kRowsASum - 1) / kRowsASum;
}

} // namespace

ColumnSums::ColumnSums(unsigned rows, unsigned width)
    : m_width(width), m_partial(std::size_t{sumsOver(rows)} * width)
{}

void ColumnSums::operator()(const Queue& queue, const float* values, unsigned rows, float* sums) const
{
    if (sumsOver(rows) == 1) {
        RS_CHECK(launch_bias_gradient(queue.stream, m_width, values, sums, rows));
        return;
    }
    RS_CHECK(launch_column_sums(queue.stream, sumsOver(rows) * m_width, values, m_partial.data(), rows,
                                m_width, kRowsASum));
    RS_CHECK(launch_bias_gradient(queue.stream, m_width, m_partial.data(), sums, sumsOver(rows)));
}

} // namespace ringside::trainer
