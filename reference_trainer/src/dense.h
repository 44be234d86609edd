// SPDX-License-Identifier: Apache-2.0
// A fully connected layer. Weights are a row-major matrix of outputs x inputs.
#pragma once
#include "layer.h"

namespace ringside::trainer {

class Dense final : public Layer {
public:
    Dense(unsigned inputs, unsigned outputs, Activation activation);

    [[nodiscard]] Shape shape() const override;
    void allocate(unsigned batch) override;
    void forward(const Queue& queue, const Parameters& parameters, const float* input,
                 unsigned batch) override;
    void parameterGradients(const Queue& queue, const Parameters& parameters, const float* input,
                            unsigned batch) override;
    void inputGradients(const Queue& queue, const Parameters& parameters, float* inputGradient,
                        unsigned batch) override;

private:
    unsigned m_inputs;
    unsigned m_outputs;
    Activation m_activation;
};

} // namespace ringside::trainer
