// SPDX-License-Identifier: Apache-2.0
// Layer normalisation (Ba et al. 2016) of each of a sample's rows: mean 0 and variance 1, then a scale and a
// shift for each column. The weights store the scale minus 1, so that they begin at 0.
#pragma once
#include "column_sums.h"
#include "layer.h"

namespace ringside::trainer {

class LayerNorm final : public Layer {
public:
    LayerNorm(unsigned rows, unsigned width);

    [[nodiscard]] Shape shape() const override;
    void allocate(unsigned batch) override;
    void forward(const Queue& queue, const Parameters& parameters, const float* input,
                 unsigned batch) override;
    void parameterGradients(const Queue& queue, const Parameters& parameters, const float* input,
                            unsigned batch) override;
    void inputGradients(const Queue& queue, const Parameters& parameters, float* inputGradient,
                        unsigned batch) override;

private:
    unsigned m_rows;
    unsigned m_width;
    DeviceArray<float> m_normalised;
    DeviceArray<float> m_inverseSpreads; ///< 1 / (standard deviation) of each row
    DeviceArray<float> m_products;       ///< summed up by the gradient of the scale
    ColumnSums m_columnSums;
};

} // namespace ringside::trainer
