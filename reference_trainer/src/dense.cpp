// SPDX-License-Identifier: Apache-2.0
#include "dense.h"

#include "kernels/kernels.h"
#include "matrix.h"

#include <algorithm>

namespace ringside::trainer {

Dense::Dense(unsigned inputs, unsigned outputs, Activation activation)
    : m_inputs(inputs), m_outputs(outputs), m_activation(activation)
{}

Layer::Shape Dense::shape() const
{
    return {.inputs = m_inputs,
            .outputs = m_outputs,
            .largest = std::max(m_inputs, m_outputs),
            .bias = m_outputs,
            .weights = std::size_t{m_inputs} * m_outputs,
            .fanIn = m_inputs};
}

void Dense::allocate(unsigned batch)
{
    allocateOutput(batch);
}

void Dense::forward(const Queue& queue, const Parameters& parameters, const float* input, unsigned batch)
{
    multiply(queue, {{input, batch, m_inputs}}, {{parameters.weights, m_outputs, m_inputs}, Transposed::Yes},
             output().data());
    const auto activate = m_activation == Activation::Relu ? launch_bias_relu : launch_bias_add;
    RS_CHECK(activate(queue.stream, batch * m_outputs, output().data(), parameters.bias, m_outputs));
}

void Dense::parameterGradients(const Queue& queue, const Parameters& parameters, const float* input,
                               unsigned batch)
{
    const float* gradient = outputGradient().data();
    RS_CHECK(launch_bias_gradient(queue.stream, m_outputs, gradient, parameters.biasGradient, batch));
    multiply(queue, {{gradient, batch, m_outputs}, Transposed::Yes}, {{input, batch, m_inputs}},
             parameters.weightGradient);
}

void Dense::inputGradients(const Queue& queue, const Parameters& parameters, float* inputGradient,
                           unsigned batch)
{
    multiply(queue, {{outputGradient().data(), batch, m_outputs}},
             {{parameters.weights, m_outputs, m_inputs}}, inputGradient);
}

} // namespace ringside::trainer
