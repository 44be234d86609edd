// SPDX-License-Identifier: Apache-2.0
#include "attention.h"

#include "kernels/kernels.h"

#include <algorithm>
#include <cmath>

namespace ringside::trainer {
namespace {

CutResult into(const Cut& cut)
{
    return {.data = const_cast<float*>(cut.matrix.data), .width = cut.width, .distance = cut.distance};
}

/// Returns the factor that keeps a head's products independent of its width.
float scaleOf(unsigned headWidth)
{
    return 1.0F / std::sqrt(static_cast<float>(headWidth));
}

} // namespace

Attention::Attention(unsigned rows, unsigned width, unsigned heads)
    : m_rows(rows), m_width(width), m_heads(heads)
{}

Layer::Shape Attention::shape() const
{
    const std::size_t inputs = std::size_t{3} * m_rows * m_width;
    return {.inputs = inputs,
            .outputs = std::size_t{m_rows} * m_width,
            .largest = std::max(inputs, std::size_t{m_heads} * m_rows * m_rows)};
}

void Attention::allocate(unsigned batch)
{
    allocateOutput(batch);
    m_weights = DeviceArray<float>(std::size_t{batch} * m_heads * m_rows * m_rows);
    m_weightGradient = DeviceArray<float>(m_weights.size());
}

Cut Attention::cutOf(const float* rows, Part part, unsigned head) const
{
    const unsigned width = 3 * m_width;
    return {.matrix = {rows + part * m_width + head * headWidth(), m_rows, headWidth()},
            .width = width,
            .distance = std::size_t{m_rows} * width};
}

Cut Attention::outputCut(const float* rows, unsigned head) const
{
    return {.matrix = {rows + head * headWidth(), m_rows, headWidth()},
            .width = m_width,
            .distance = std::size_t{m_rows} * m_width};
}

Cut Attention::weightsOf(const DeviceArray<float>& weights, unsigned head, unsigned batch) const
{
    const std::size_t each = std::size_t{m_rows} * m_rows;
    return {
        .matrix = {weights.data() + head * batch * each, m_rows, m_rows}, .width = m_rows, .distance = each};
}

void Attention::forward(const Queue& queue, const Parameters&, const float* input, unsigned batch)
{
    for (unsigned head = 0; head < m_heads; ++head)
        multiplyEach(queue, {cutOf(input, Query, head)}, {cutOf(input, Key, head), Transposed::Yes},
                     scaleOf(headWidth()), into(weightsOf(m_weights, head, batch)), batch);
    RS_CHECK(launch_softmax(queue.stream, m_heads * batch * m_rows, m_weights.data(), m_rows));
    for (unsigned head = 0; head < m_heads; ++head)
        multiplyEach(queue, {weightsOf(m_weights, head, batch)}, {cutOf(input, Value, head)}, 1,
                     into(outputCut(output().data(), head)), batch);
}

void Attention::inputGradients(const Queue& queue, const Parameters&, float* inputGradient, unsigned batch)
{
    for (unsigned head = 0; head < m_heads; ++head)
        multiplyEach(queue, {outputCut(outputGradient().data(), head)},
                     {cutOf(m_input, Value, head), Transposed::Yes}, 1,
                     into(weightsOf(m_weightGradient, head, batch)), batch);
    RS_CHECK(launch_softmax_backward(queue.stream, m_heads * batch * m_rows, m_weights.data(),
                                     m_weightGradient.data(), m_rows));
    for (unsigned head = 0; head < m_heads; ++head)
        headGradients(queue, head, inputGradient, batch);
}

void Attention::headGradients(const Queue& queue, unsigned head, float* inputGradient, unsigned batch)
{
    const float scale = scaleOf(headWidth());
    const Cut weights = weightsOf(m_weights, head, batch);
    const Cut gradient = weightsOf(m_weightGradient, head, batch);
    multiplyEach(queue, {gradient}, {cutOf(m_input, Key, head)}, scale,
                 into(cutOf(inputGradient, Query, head)), batch);
    multiplyEach(queue, {gradient, Transposed::Yes}, {cutOf(m_input, Query, head)}, scale,
                 into(cutOf(inputGradient, Key, head)), batch);
    multiplyEach(queue, {weights, Transposed::Yes}, {outputCut(outputGradient().data(), head)}, 1,
                 into(cutOf(inputGradient, Value, head)), batch);
}

} // namespace ringside::trainer
