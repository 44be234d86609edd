// SPDX-License-Identifier: Apache-2.0
// A 3 x 3 convolution without padding, 2 x 2 max pooling, bias and ReLU. Images are [row][column][channel];
// weights are a row-major matrix of filters x (3 x 3 x channels). With channels last, im2col and one matrix
// product for the whole batch produce the next layer's layout without a transposition.
#pragma once
#include "column_sums.h"
#include "layer.h"

namespace ringside::trainer {

class Convolution final : public Layer {
public:
    /// Images of `side` x `side` x `channels` become images of side / 2 - 1 (rounded down) squared x
    /// `filters`.
    Convolution(unsigned side, unsigned channels, unsigned filters);

    [[nodiscard]] unsigned outputSide() const { return placesASide() / 2; }
    [[nodiscard]] Shape shape() const override;
    void allocate(unsigned batch) override;
    void forward(const Queue& queue, const Parameters& parameters, const float* input,
                 unsigned batch) override;
    void parameterGradients(const Queue& queue, const Parameters& parameters, const float* input,
                            unsigned batch) override;
    void inputGradients(const Queue& queue, const Parameters& parameters, float* inputGradient,
                        unsigned batch) override;

private:
    [[nodiscard]] unsigned placesASide() const { return m_side - 2; } ///< places of the filter in a row
    [[nodiscard]] unsigned places() const { return placesASide() * placesASide(); }
    [[nodiscard]] unsigned windows() const { return outputSide() * outputSide(); }
    [[nodiscard]] unsigned filterSize() const { return 9 * m_channels; }

    unsigned m_side;
    unsigned m_channels;
    unsigned m_filters;
    DeviceArray<float> m_columns;         ///< of the input; in inputGradients, their gradient
    DeviceArray<float> m_convolved;       ///< in backward, its gradient
    DeviceArray<unsigned char> m_choices; ///< of the pooling
    ColumnSums m_biasGradient;
};

} // namespace ringside::trainer
