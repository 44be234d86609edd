// SPDX-License-Identifier: Apache-2.0
// The convolution against naive loops that do it in the textbook's order: filter, bias, ReLU, then pooling.
#include "convolution.h"
#include "device.h"
#include "near.h"

#include <gtest/gtest.h>

#include <ostream>

using namespace ringside::trainer;
using namespace ringside::test;

namespace {

struct Convolved {
    unsigned side;
    unsigned channels;
    unsigned filters;
    unsigned batch;
    friend std::ostream& operator<<(std::ostream& out, const Convolved& test)
    {
        return out << test.side << "x" << test.side << "x" << test.channels << " to " << test.filters << ", "
                   << test.batch << " images";
    }
};

struct Gradients {
    std::vector<double> input;
    std::vector<double> weights;
    std::vector<double> bias;
};

class Naive final {
public:
    Naive(Convolved test, const std::vector<float>& input, const std::vector<float>& weights,
          const std::vector<float>& bias)
        : m_case(test), m_input(input), m_weights(weights), m_bias(bias)
    {}

    [[nodiscard]] unsigned windows() const { return (m_case.side - 2) / 2; }
    [[nodiscard]] std::vector<double> forward() const
    {
        std::vector<double> output;
        forEachOutput([&](unsigned image, unsigned y, unsigned x, unsigned filter) {
            output.push_back(largest(image, y, x, filter).value);
        });
        return output;
    }
    [[nodiscard]] Gradients backward(const std::vector<float>& outputGradient) const
    {
        Gradients gradients{std::vector<double>(m_input.size()), std::vector<double>(m_weights.size()),
                            std::vector<double>(m_bias.size())};
        std::size_t next = 0;
        forEachOutput([&](unsigned image, unsigned y, unsigned x, unsigned filter) {
            const double gradient = static_cast<double>(outputGradient[next++]);
            const Place place = largest(image, y, x, filter);
            if (place.value > 0)
                spread(image, place, filter, gradient, gradients);
        });
        return gradients;
    }

private:
    struct Place {
        double value = -1;
        unsigned y = 0;
        unsigned x = 0;
    };

    template <class Visit>
    void forEachOutput(Visit visit) const
    {
        for (unsigned image = 0; image < m_case.batch; ++image)
            for (unsigned y = 0; y < windows(); ++y)
                for (unsigned x = 0; x < windows(); ++x)
                    for (unsigned filter = 0; filter < m_case.filters; ++filter)
                        visit(image, y, x, filter);
    }
    template <class Visit>
    void forEachTap(unsigned image, Place place, unsigned filter, Visit visit) const
    {
        for (unsigned dy = 0; dy < 3; ++dy)
            for (unsigned dx = 0; dx < 3; ++dx)
                for (unsigned c = 0; c < m_case.channels; ++c)
                    visit(((image * m_case.side + place.y + dy) * m_case.side + place.x + dx) *
                                  m_case.channels +
                              c,
                          ((filter * 3 + dy) * 3 + dx) * m_case.channels + c);
    }
    [[nodiscard]] Place largest(unsigned image, unsigned windowY, unsigned windowX, unsigned filter) const
    {
        Place best;
        for (unsigned k = 0; k < 4; ++k) {
            Place place{.value = static_cast<double>(m_bias[filter]),
                        .y = windowY * 2 + k / 2,
                        .x = windowX * 2 + k % 2};
            forEachTap(image, place, filter, [&](std::size_t pixel, std::size_t weight) {
                place.value += static_cast<double>(m_input[pixel]) * static_cast<double>(m_weights[weight]);
            });
            place.value = std::max(place.value, 0.0);
            if (place.value > best.value)
                best = place;
        }
        return best;
    }
    void spread(unsigned image, Place place, unsigned filter, double gradient, Gradients& gradients) const
    {
        gradients.bias[filter] += gradient;
        forEachTap(image, place, filter, [&](std::size_t pixel, std::size_t weight) {
            gradients.input[pixel] += gradient * static_cast<double>(m_weights[weight]);
            gradients.weights[weight] += gradient * static_cast<double>(m_input[pixel]);
        });
    }

    Convolved m_case;
    const std::vector<float>& m_input;
    const std::vector<float>& m_weights;
    const std::vector<float>& m_bias;
};

class ConvolutionOf : public testing::TestWithParam<Convolved> {
protected:
    Convolved m_case = GetParam();
    Convolution m_layer{m_case.side, m_case.channels, m_case.filters};
    std::vector<float> m_input = randomValues(m_layer.shape().inputs * m_case.batch, 1);
    std::vector<float> m_weights = randomValues(m_layer.shape().weights, 2);
    std::vector<float> m_bias = randomValues(m_layer.shape().bias, 3);
    Naive m_naive{m_case, m_input, m_weights, m_bias};
    Workplace m_workplace;
    DeviceArray<float> m_deviceInput = onDevice(m_input);
    DeviceArray<float> m_deviceWeights = onDevice(m_weights);
    DeviceArray<float> m_deviceBias = onDevice(m_bias);
    DeviceArray<float> m_weightGradient{m_weights.size()};
    DeviceArray<float> m_biasGradient{m_bias.size()};
    Layer::Parameters m_parameters{.bias = m_deviceBias.data(),
                                   .weights = m_deviceWeights.data(),
                                   .biasGradient = m_biasGradient.data(),
                                   .weightGradient = m_weightGradient.data()};

    std::vector<float> forward()
    {
        m_layer.allocate(m_case.batch);
        m_layer.forward(m_workplace.queue(), m_parameters, m_deviceInput.data(), m_case.batch);
        m_workplace.wait();
        return toHost(m_layer.output().data(), m_layer.output().size());
    }
};

} // namespace

TEST_P(ConvolutionOf, computesWhatTheLoopsCompute)
{
    EXPECT_EQ(m_layer.outputSide(), m_naive.windows());
    EXPECT_TRUE(areNear(m_naive.forward(), forward())) << "output";
}

TEST_P(ConvolutionOf, hasTheGradientsOfTheLoops)
{
    const std::vector<float> output = forward();
    const std::vector<float> gradient = randomValues(output.size(), 4);
    std::vector<float> beforeRelu = gradient; // what a network hands over
    for (std::size_t i = 0; i < output.size(); ++i)
        beforeRelu[i] = output[i] > 0 ? gradient[i] : 0;
    toDevice(beforeRelu, m_layer.outputGradient().data());
    const DeviceArray<float> inputGradient(m_input.size());
    m_layer.parameterGradients(m_workplace.queue(), m_parameters, m_deviceInput.data(), m_case.batch);
    m_layer.inputGradients(m_workplace.queue(), m_parameters, inputGradient.data(), m_case.batch);
    m_workplace.wait();
    const Gradients expected = m_naive.backward(gradient);
    EXPECT_TRUE(areNear(expected.bias, toHost(m_biasGradient.data(), m_bias.size()))) << "bias";
    EXPECT_TRUE(areNear(expected.weights, toHost(m_weightGradient.data(), m_weights.size()))) << "weights";
    EXPECT_TRUE(areNear(expected.input, toHost(inputGradient.data(), m_input.size()))) << "input";
}

// Sides with and without a row that pooling cuts off, the smallest side, and more rows than one partial sum
// takes.
INSTANTIATE_TEST_SUITE_P(Shapes, ConvolutionOf,
                         testing::Values(Convolved{4, 1, 1, 1}, Convolved{6, 1, 3, 2}, Convolved{7, 3, 2, 3},
                                         Convolved{9, 2, 5, 4}, Convolved{13, 4, 6, 2},
                                         Convolved{28, 1, 4, 3}));
