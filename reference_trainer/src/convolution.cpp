// SPDX-License-Identifier: Apache-2.0
#include "convolution.h"

#include "kernels/kernels.h"
#include "matrix.h"

#include <algorithm>

namespace ringside::trainer {
Convolution::Convolution(unsigned side, unsigned channels, unsigned filters)
    : m_side(side), m_channels(channels), m_filters(filters)
{}

Layer::Shape Convolution::shape() const
{
    const std::size_t inputs = std::size_t{m_side} * m_side * m_channels;
    return {.inputs = inputs,
            .outputs = std::size_t{windows()} * m_filters,
            .largest =
                std::max({inputs, std::size_t{places()} * filterSize(), std::size_t{places()} * m_filters}),
            .bias = m_filters,
            .weights = std::size_t{m_filters} * filterSize(),
            .fanIn = filterSize(),
            .activation = Activation::Relu};
}

void Convolution::allocate(unsigned batch)
{
    allocateOutput(batch);
    m_columns = DeviceArray<float>(std::size_t{batch} * places() * filterSize());
    m_convolved = DeviceArray<float>(std::size_t{batch} * places() * m_filters);
    m_choices = DeviceArray<unsigned char>(output().size());
    m_biasGradient = ColumnSums(batch * windows(), m_filters);
}

void Convolution::forward(const Queue& queue, const Parameters& parameters, const float* input,
                          unsigned batch)
{
    RS_CHECK(launch_im2col(queue.stream, batch * places() * 3, input, m_columns.data(), m_side, m_channels));
    multiply(queue, {{m_columns.data(), batch * places(), filterSize()}},
             {{parameters.weights, m_filters, filterSize()}, Transposed::Yes}, m_convolved.data());
    // Pooling comes before bias and ReLU: the largest of four stays the largest if all get the same bias and
    // a ReLU. It leaves a quarter of the work, here and in the bias gradient.
    RS_CHECK(launch_max_pool(queue.stream, batch * windows(), m_convolved.data(), output().data(),
                             m_choices.data(), placesASide(), m_filters));
    RS_CHECK(launch_bias_relu(queue.stream, batch * windows() * m_filters, output().data(), parameters.bias,
                              m_filters));
}

void Convolution::parameterGradients(const Queue& queue, const Parameters& parameters, const float*,
                                     unsigned batch)
{
    m_biasGradient(queue, outputGradient().data(), batch * windows(), parameters.biasGradient);
    RS_CHECK(launch_max_pool_backward(queue.stream, batch * places(), outputGradient().data(),
                                      m_choices.data(), m_convolved.data(), placesASide(), m_filters));
    multiply(queue, {{m_convolved.data(), batch * places(), m_filters}, Transposed::Yes},
             {{m_columns.data(), batch * places(), filterSize()}}, parameters.weightGradient);
}

void Convolution::inputGradients(const Queue& queue, const Parameters& parameters, float* inputGradient,
                                 unsigned batch)
{
    multiply(queue, {{m_convolved.data(), batch * places(), m_filters}},
             {{parameters.weights, m_filters, filterSize()}}, m_columns.data());
    RS_CHECK(launch_col2im(queue.stream, batch * m_side * m_side, m_columns.data(), inputGradient, m_side,
                           m_channels));
}

} // namespace ringside::trainer
