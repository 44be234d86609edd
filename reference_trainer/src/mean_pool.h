// SPDX-License-Identifier: Apache-2.0
// The mean of a sample's rows. No parameters.
#pragma once
#include "layer.h"

namespace ringside::trainer {

class MeanPool final : public Layer {
public:
    MeanPool(unsigned rows, unsigned width);

    [[nodiscard]] Shape shape() const override;
    void allocate(unsigned batch) override;
    void forward(const Queue& queue, const Parameters& parameters, const float* input,
                 unsigned batch) override;
    void parameterGradients(const Queue&, const Parameters&, const float*, unsigned) override {}
    void inputGradients(const Queue& queue, const Parameters& parameters, float* inputGradient,
                        unsigned batch) override;

private:
    unsigned m_rows;
    unsigned m_width;
};

} // namespace ringside::trainer
