// SPDX-License-Identifier: Apache-2.0
// Multi-head self attention over a sample's rows, without its projections, which are Dense layers. An input
// row holds query, key and value, `width` each; each head has its own part of the columns. The output holds
// the results of all heads side by side. There are no parameters.
#pragma once
#include "layer.h"
#include "matrix.h"

namespace ringside::trainer {

class Attention final : public Layer {
public:
    /// `heads` must divide `width`.
    Attention(unsigned rows, unsigned width, unsigned heads);

    [[nodiscard]] Shape shape() const override;
    void allocate(unsigned batch) override;
    void forward(const Queue& queue, const Parameters& parameters, const float* input,
                 unsigned batch) override;
    void parameterGradients(const Queue&, const Parameters&, const float* input, unsigned) override
    {
        m_input = input;
    }
    void inputGradients(const Queue& queue, const Parameters& parameters, float* inputGradient,
                        unsigned batch) override;

private:
    /// The part of a row that a head reads.
    enum Part : unsigned { Query, Key, Value };
    [[nodiscard]] unsigned headWidth() const { return m_width / m_heads; }
    [[nodiscard]] Cut cutOf(const float* rows, Part part, unsigned head) const;
    [[nodiscard]] Cut outputCut(const float* rows, unsigned head) const;
    [[nodiscard]] Cut weightsOf(const DeviceArray<float>& weights, unsigned head, unsigned batch) const;
    void headGradients(const Queue& queue, unsigned head, float* inputGradient, unsigned batch);

    unsigned m_rows;
    unsigned m_width;
    unsigned m_heads;
    const float* m_input = nullptr;      ///< of the same forward
    DeviceArray<float> m_weights;        ///< [head][sample][row][row that it attends to]
    DeviceArray<float> m_weightGradient; ///< before the softmax, at the end
};

} // namespace ringside::trainer
