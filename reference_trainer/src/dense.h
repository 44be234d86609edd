// SPDX-License-Identifier: Apache-2.0
// A fully connected layer over a sample or over each of its rows. Weights are a row-major matrix of outputs x
// inputs.
#pragma once
#include "column_sums.h"
#include "layer.h"

namespace ringside::trainer {

class Dense final : public Layer {
public:
    /// The rows of a sample: all use the same weights.
    struct Rows {
        unsigned count = 1;
        bool ownBias = false;      ///< each row has its own bias: its position is learned
        unsigned residualOver = 0; ///< see Shape
    };

    /// A row of `inputs` values becomes one of `outputs`.
    Dense(unsigned inputs, unsigned outputs, Activation activation, Rows rows);
    Dense(unsigned inputs, unsigned outputs, Activation activation)
        : Dense(inputs, outputs, activation, Rows{})
    {}

    [[nodiscard]] Shape shape() const override;
    void allocate(unsigned batch) override;
    void forward(const Queue& queue, const Parameters& parameters, const float* input,
                 unsigned batch) override;
    void parameterGradients(const Queue& queue, const Parameters& parameters, const float* input,
                            unsigned batch) override;
    void inputGradients(const Queue& queue, const Parameters& parameters, float* inputGradient,
                        unsigned batch) override;

private:
    [[nodiscard]] unsigned biases() const { return m_rows.ownBias ? m_rows.count * m_outputs : m_outputs; }

    unsigned m_inputs;
    unsigned m_outputs;
    Activation m_activation;
    Rows m_rows;
    ColumnSums m_biasGradient;
};

} // namespace ringside::trainer
