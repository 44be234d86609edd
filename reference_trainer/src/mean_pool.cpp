// SPDX-License-Identifier: Apache-2.0
#include "mean_pool.h"

#include "kernels/kernels.h"

namespace ringside::trainer {

MeanPool::MeanPool(unsigned rows, unsigned width) : m_rows(rows), m_width(width) {}

Layer::Shape MeanPool::shape() const
{
    const std::size_t inputs = std::size_t{m_rows} * m_width;
    return {.inputs = inputs, .outputs = m_width, .largest = inputs};
}

void MeanPool::allocate(unsigned batch)
{
    allocateOutput(batch);
}

void MeanPool::forward(const Queue& queue, const Parameters&, const float* input, unsigned batch)
{
    RS_CHECK(launch_mean_rows(queue.stream, batch * m_width, input, output().data(), m_rows, m_width));
}

void MeanPool::inputGradients(const Queue& queue, const Parameters&, float* inputGradient, unsigned batch)
{
    RS_CHECK(launch_mean_rows_backward(queue.stream, batch * m_rows * m_width, outputGradient().data(),
                                       inputGradient, m_rows, m_width));
}

} // namespace ringside::trainer
