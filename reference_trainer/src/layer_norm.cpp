// SPDX-License-Identifier: Apache-2.0
#include "layer_norm.h"

#include "kernels/kernels.h"

namespace ringside::trainer {

LayerNorm::LayerNorm(unsigned rows, unsigned width) : m_rows(rows), m_width(width) {}

Layer::Shape LayerNorm::shape() const
{
    const std::size_t values = std::size_t{m_rows} * m_width;
    return {.inputs = values, .outputs = values, .largest = values, .bias = m_width, .weights = m_width};
}

void LayerNorm::allocate(unsigned batch)
{
    allocateOutput(batch);
    m_normalised = DeviceArray<float>(output().size());
    m_inverseSpreads = DeviceArray<float>(std::size_t{batch} * m_rows);
    m_products = DeviceArray<float>(output().size());
    m_columnSums = ColumnSums(batch * m_rows, m_width);
}

void LayerNorm::forward(const Queue& queue, const Parameters& parameters, const float* input, unsigned batch)
{
    const unsigned rows = batch * m_rows;
    RS_CHECK(
        launch_normalise(queue.stream, rows, input, m_normalised.data(), m_inverseSpreads.data(), m_width));
    RS_CHECK(launch_scale_and_shift(queue.stream, rows * m_width, m_normalised.data(), parameters.weights,
                                    parameters.bias, output().data(), m_width));
}

void LayerNorm::parameterGradients(const Queue& queue, const Parameters& parameters, const float*,
                                   unsigned batch)
{
    const unsigned rows = batch * m_rows;
    const float* gradient = outputGradient().data();
    m_columnSums(queue, gradient, rows, parameters.biasGradient);
    RS_CHECK(launch_multiply_elements(queue.stream, rows * m_width, gradient, m_normalised.data(),
                                      m_products.data()));
    m_columnSums(queue, m_products.data(), rows, parameters.weightGradient);
}

void LayerNorm::inputGradients(const Queue& queue, const Parameters& parameters, float* inputGradient,
                               unsigned batch)
{
    RS_CHECK(launch_normalise_backward(queue.stream, batch * m_rows, outputGradient().data(),
                                       parameters.weights, m_normalised.data(), m_inverseSpreads.data(),
                                       inputGradient, m_width));
}

} // namespace ringside::trainer
