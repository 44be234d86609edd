// SPDX-License-Identifier: Apache-2.0
// A network's gradients against finite differences of its loss, and the shapes of the models.
#include "attention.h"
#include "convolution.h"
#include "dense.h"
#include "device.h"
#include "digits.h"
#include "layer_norm.h"
#include "mean_pool.h"
#include "models/models.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <ostream>
#include <vector>

using namespace ringside::trainer;
using namespace ringside::test;

namespace {

constexpr unsigned kImages = 12;
constexpr unsigned kSide = 10;

Layers smallConvnet()
{
    Layers layers;
    layers.push_back(std::make_unique<Convolution>(kSide, 1, 4)); // 10 -> 4
    layers.push_back(std::make_unique<Convolution>(4, 4, 6));     // 4 -> 1
    layers.push_back(std::make_unique<Dense>(6, 7, Activation::Relu));
    layers.push_back(std::make_unique<Dense>(7, kDigitClasses, Activation::None));
    return layers;
}

std::vector<int> someLabels()
{
    std::vector<int> labels(kImages);
    for (unsigned i = 0; i < kImages; ++i)
        labels[i] = static_cast<int>(i * 7 % kDigitClasses);
    return labels;
}

/// A block of an encoder over 5 rows of 20 pixels.
Layers smallTransformer()
{
    constexpr unsigned kRows = 5;
    constexpr unsigned kWidth = 8;
    const auto dense = [](unsigned inputs, unsigned outputs, Activation activation, Dense::Rows rows) {
        rows.count = kRows;
        return std::make_unique<Dense>(inputs, outputs, activation, rows);
    };
    Layers layers;
    layers.push_back(dense(20, kWidth, Activation::None, {.ownBias = true}));
    layers.push_back(std::make_unique<LayerNorm>(kRows, kWidth));
    layers.push_back(dense(kWidth, 3 * kWidth, Activation::None, {}));
    layers.push_back(std::make_unique<Attention>(kRows, kWidth, 2));
    layers.push_back(dense(kWidth, kWidth, Activation::None, {.residualOver = 3}));
    layers.push_back(std::make_unique<LayerNorm>(kRows, kWidth));
    layers.push_back(dense(kWidth, 12, Activation::Relu, {}));
    layers.push_back(dense(12, kWidth, Activation::None, {.residualOver = 2}));
    layers.push_back(std::make_unique<LayerNorm>(kRows, kWidth));
    layers.push_back(std::make_unique<MeanPool>(kRows, kWidth));
    layers.push_back(std::make_unique<Dense>(kWidth, kDigitClasses, Activation::None));
    return layers;
}

struct Kind {
    const char* name;
    Layers (*layers)();
    std::vector<unsigned> segments; ///< lengths that activations can be recomputed in
    friend std::ostream& operator<<(std::ostream& out, const Kind& kind) { return out << kind.name; }
};

class SmallNetwork : public testing::TestWithParam<Kind> {
protected:
    Stream m_stream = makeStream();
    Network m_network{GetParam().layers(), kImages, 5, m_stream.get()};
    DeviceArray<float> m_images = onDevice(randomValues(std::size_t{kImages} * kSide * kSide, 6));
    DeviceArray<int> m_labels = onDevice(someLabels());
    DeviceArray<float> m_mean{1};
    std::vector<std::size_t> m_ready;

    /// Leaves the gradients behind.
    double loss()
    {
        m_ready.clear();
        static_cast<void>(m_network.forward(m_images.data(), kImages, Hooks{}));
        m_network.backward(m_images.data(), m_labels.data(), kImages, m_mean.data(), Hooks{},
                           [this](std::size_t tensor) { m_ready.push_back(tensor); });
        RS_CHECK(cudaStreamSynchronize(m_stream.get()));
        return static_cast<double>(toHost(m_mean.data(), 1).front());
    }
    double lossAt(const std::vector<float>& parameters)
    {
        toDevice(parameters, m_network.parameters().data());
        return loss();
    }
};

} // namespace

// Along its own gradient a tensor changes the loss by the gradient's length: one number a tensor that is far
// above float's noise, and wrong as soon as one of the entries is.
TEST_P(SmallNetwork, hasTheSlopeThatItsGradientsSay)
{
    constexpr double kStep = 2e-3;
    const std::vector<float> parameters =
        toHost(m_network.parameters().data(), m_network.parameters().size());
    loss();
    const std::vector<float> gradients = toHost(m_network.gradients().data(), parameters.size());
    for (const Network::Tensor& tensor : m_network.tensors()) {
        double squares = 0;
        for (std::size_t i = tensor.offset; i < tensor.offset + tensor.count; ++i)
            squares += static_cast<double>(gradients[i]) * static_cast<double>(gradients[i]);
        const double length = std::sqrt(squares);
        ASSERT_GT(length, 1e-3) << "nothing to compare at offset " << tensor.offset;
        std::vector<float> up = parameters;
        std::vector<float> down = parameters;
        for (std::size_t i = tensor.offset; i < tensor.offset + tensor.count; ++i) {
            const auto step = static_cast<float>(kStep / length * static_cast<double>(gradients[i]));
            up[i] += step;
            down[i] -= step;
        }
        const double slope = (lossAt(up) - lossAt(down)) / (2 * kStep);
        EXPECT_NEAR(slope / length, 1, 0.02) << "offset " << tensor.offset;
    }
}

TEST_P(SmallNetwork, listsEachTensorOnceInTheOrderOfTheFlatArrays)
{
    loss();
    ASSERT_EQ(m_ready.size(), m_network.tensors().size());
    std::size_t end = 0;
    for (std::size_t i = 0; i < m_ready.size(); ++i) {
        EXPECT_EQ(m_ready[i], i);
        EXPECT_EQ(m_network.tensors()[i].offset, end);
        end += m_network.tensors()[i].count;
    }
    EXPECT_EQ(end, m_network.gradients().size());
}

TEST_P(SmallNetwork, givesTheSameForAPartOfTheBatch)
{
    const float* logits = m_network.forward(m_images.data(), kImages, Hooks{});
    RS_CHECK(cudaStreamSynchronize(m_stream.get()));
    const std::vector<float> whole = toHost(logits, std::size_t{5} * kDigitClasses);
    logits = m_network.forward(m_images.data(), 5, Hooks{});
    RS_CHECK(cudaStreamSynchronize(m_stream.get()));
    const std::vector<float> part = toHost(logits, whole.size());
    for (std::size_t i = 0; i < whole.size(); ++i)
        EXPECT_NEAR(static_cast<double>(whole[i]), static_cast<double>(part[i]), 1e-5);
}

// Layers of a segment lie in the same memory as those of the others, and what was overwritten is computed
// again.
TEST_P(SmallNetwork, hasTheSameGradientsWhenActivationsAreRecomputed)
{
    const double expectedLoss = loss();
    const std::vector<float> expected = toHost(m_network.gradients().data(), m_network.gradients().size());
    for (const unsigned layersASegment : GetParam().segments) {
        Network network(GetParam().layers(), kImages, 5, m_stream.get(), layersASegment);
        static_cast<void>(network.forward(m_images.data(), kImages, Hooks{}));
        network.backward(m_images.data(), m_labels.data(), kImages, m_mean.data(), Hooks{},
                         [](std::size_t) {});
        RS_CHECK(cudaStreamSynchronize(m_stream.get()));
        EXPECT_EQ(toHost(m_mean.data(), 1).front(), static_cast<float>(expectedLoss));
        EXPECT_EQ(toHost(network.gradients().data(), expected.size()), expected) << layersASegment;
    }
}

TEST_P(SmallNetwork, isNotCutInsideOfAResidualConnectionNorIntoOneSegment)
{
    const auto layers = static_cast<unsigned>(GetParam().layers().size());
    for (unsigned layersASegment = 1; layersASegment <= layers; ++layersASegment) {
        const bool fits = std::ranges::count(GetParam().segments, layersASegment) > 0;
        const auto make = [&] { Network(GetParam().layers(), kImages, 5, m_stream.get(), layersASegment); };
        if (fits)
            EXPECT_NO_THROW(make()) << layersASegment;
        else
            EXPECT_THROW(make(), Failure) << layersASegment;
    }
}

INSTANTIATE_TEST_SUITE_P(Kinds, SmallNetwork,
                         testing::Values(Kind{"convnet", smallConvnet, {1, 2, 3}},
                                         Kind{"transformer", smallTransformer, {5, 8, 9, 10}}),
                         [](const auto& tested) { return tested.param.name; });

TEST(Models, haveTheParametersOfTheirLayers)
{
    const auto parameters = [](const Model& model) {
        std::size_t sum = 0;
        for (const auto& layer : model.layers)
            sum += layer->shape().bias + layer->shape().weights;
        return sum;
    };
    Options options;
    options.hidden = 20;
    options.layers = 2;
    EXPECT_EQ(parameters(modelFor(options)), 784U * 20 + 20 + 20 * 20 + 20 + 20 * 10 + 10);
    options.model = "convnet";
    EXPECT_EQ(parameters(modelFor(options)),
              9U * 32 + 32 + 9 * 32 * 64 + 64 + 1600 * 256 + 256 + 256 * 10 + 10);
    options.model = "widemlp";
    EXPECT_EQ(parameters(modelFor(options)), 784U * 1024 + 1024 + 1024 * 1024 + 1024 + 1024 * 10 + 10);
    options.model = "transformer";
    const std::size_t block =
        2 * 2 * 128 + (128 + 1) * 384 + (128 + 1) * 128 + (128 + 1) * 256 + (256 + 1) * 128;
    EXPECT_EQ(parameters(modelFor(options)), 56U * 128 + 14 * 128 + 4 * block + 2 * 128 + (128 + 1) * 10);
}

TEST(Models, fitTogether)
{
    for (const char* name : {"mlp", "widemlp", "convnet", "transformer"}) {
        Options options;
        options.model = name;
        const Model model = modelFor(options);
        std::size_t width = kImagePixels;
        for (const auto& layer : model.layers) {
            EXPECT_EQ(layer->shape().inputs, width) << name;
            width = layer->shape().outputs;
        }
        EXPECT_EQ(width, kDigitClasses) << name;
    }
}

TEST(Networks, refuseWhatALaunchCannotCount)
{
    const Stream stream = makeStream();
    const auto network = [&](unsigned width, unsigned batch) {
        Layers layers;
        layers.push_back(std::make_unique<Dense>(width, width, Activation::None));
        const Network built(std::move(layers), batch, 1, stream.get());
    };
    EXPECT_THROW(network(65536, 1), Failure);
    EXPECT_THROW(network(1, std::numeric_limits<unsigned>::max()), Failure);
}
