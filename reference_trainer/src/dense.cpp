// SPDX-License-Identifier: Apache-2.0
#include "dense.h"

#include "kernels/kernels.h"
#include "matrix.h"

#include <algorithm>

namespace ringside::trainer {

Dense::Dense(unsigned inputs, unsigned outputs, Activation activation, Rows rows)
    : m_inputs(inputs), m_outputs(outputs), m_activation(activation), m_rows(rows)
{}

Layer::Shape Dense::shape() const
{
    return {.inputs = std::size_t{m_rows.count} * m_inputs,
            .outputs = std::size_t{m_rows.count} * m_outputs,
            .largest = std::size_t{m_rows.count} * std::max(m_inputs, m_outputs),
            .bias = biases(),
            .weights = std::size_t{m_inputs} * m_outputs,
            .fanIn = m_inputs,
            .activation = m_activation,
            .residualOver = m_rows.residualOver};
}

void Dense::allocate(unsigned batch)
{
    allocateOutput(batch);
    m_biasGradient = ColumnSums(batch * m_rows.count * m_outputs / biases(), biases());
}

void Dense::forward(const Queue& queue, const Parameters& parameters, const float* input, unsigned batch)
{
    const unsigned rows = batch * m_rows.count;
    multiply(queue, {{input, rows, m_inputs}}, {{parameters.weights, m_outputs, m_inputs}, Transposed::Yes},
             output().data());
    const auto activate = m_activation == Activation::Relu ? launch_bias_relu : launch_bias_add;
    RS_CHECK(activate(queue.stream, rows * m_outputs, output().data(), parameters.bias, biases()));
}

void Dense::parameterGradients(const Queue& queue, const Parameters& parameters, const float* input,
                               unsigned batch)
{
    const float* gradient = outputGradient().data();
    const unsigned rows = batch * m_rows.count;
    m_biasGradient(queue, gradient, rows * m_outputs / biases(), parameters.biasGradient);
    multiply(queue, {{gradient, rows, m_outputs}, Transposed::Yes}, {{input, rows, m_inputs}},
             parameters.weightGradient);
}

void Dense::inputGradients(const Queue& queue, const Parameters& parameters, float* inputGradient,
                           unsigned batch)
{
    multiply(queue, {{outputGradient().data(), batch * m_rows.count, m_outputs}},
             {{parameters.weights, m_outputs, m_inputs}}, inputGradient);
}

} // namespace ringside::trainer
