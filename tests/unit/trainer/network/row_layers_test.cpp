// SPDX-License-Identifier: Apache-2.0
// Layers that work on a sample's rows, against naive loops in double precision, and their gradients against
// the loops' finite differences.
#include "attention.h"
#include "dense.h"
#include "device.h"
#include "layer_norm.h"
#include "mean_pool.h"
#include "near.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numeric>
#include <ostream>
#include <span>

using namespace ringside::trainer;
using namespace ringside::test;

namespace {

using Values = std::vector<double>;

constexpr unsigned kSamples = 3;
constexpr unsigned kRows = 5;
constexpr unsigned kWidth = 6;
constexpr unsigned kHeads = 2;
constexpr unsigned kOutputs = 4;

/// What a layer reads.
struct Arguments {
    Values input;
    Values weights;
    Values bias;
};

struct LayerCase {
    const char* name;
    std::function<std::unique_ptr<Layer>()> make;
    std::function<Values(const Arguments&)> naive; ///< outputs of all samples
    friend std::ostream& operator<<(std::ostream& out, const LayerCase& test) { return out << test.name; }
};

Values naiveDense(const Arguments& given, bool ownBias)
{
    Values output;
    for (unsigned row = 0; row < kSamples * kRows; ++row)
        for (unsigned out = 0; out < kOutputs; ++out) {
            double sum = given.bias[ownBias ? row % kRows * kOutputs + out : out];
            for (unsigned in = 0; in < kWidth; ++in)
                sum += given.input[row * kWidth + in] * given.weights[out * kWidth + in];
            output.push_back(sum);
        }
    return output;
}

Values naiveLayerNorm(const Arguments& given)
{
    Values output;
    for (unsigned row = 0; row < kSamples * kRows; ++row) {
        const std::span values(given.input.data() + row * kWidth, kWidth);
        const double mean = std::accumulate(values.begin(), values.end(), 0.0) / kWidth;
        double variance = 0;
        for (const double value : values)
            variance += (value - mean) * (value - mean) / kWidth;
        for (unsigned k = 0; k < kWidth; ++k)
            output.push_back((values[k] - mean) / std::sqrt(variance + 1e-5) * (1 + given.weights[k]) +
                             given.bias[k]);
    }
    return output;
}

Values naiveMeanPool(const Arguments& given)
{
    Values output(std::size_t{kSamples} * kWidth);
    for (unsigned i = 0; i < kSamples * kRows * kWidth; ++i)
        output[i / (kRows * kWidth) * kWidth + i % kWidth] += given.input[i] / kRows;
    return output;
}

/// Of one row of one head: the sum of all values, each as far as its key fits the query.
void attend(std::span<const double> sample, unsigned row, unsigned head, std::span<double> result)
{
    constexpr unsigned kHeadWidth = kWidth / kHeads;
    const auto at = [&](unsigned from, unsigned part, unsigned k) {
        return sample[from * 3 * kWidth + part * kWidth + head * kHeadWidth + k];
    };
    Values fits(kRows);
    for (unsigned other = 0; other < kRows; ++other) {
        double product = 0;
        for (unsigned k = 0; k < kHeadWidth; ++k)
            product += at(row, 0, k) * at(other, 1, k);
        fits[other] = std::exp(product / std::sqrt(double{kHeadWidth}));
    }
    const double all = std::accumulate(fits.begin(), fits.end(), 0.0);
    for (unsigned other = 0; other < kRows; ++other)
        for (unsigned k = 0; k < kHeadWidth; ++k)
            result[head * kHeadWidth + k] += fits[other] / all * at(other, 2, k);
}

Values naiveAttention(const Arguments& given)
{
    Values output(std::size_t{kSamples} * kRows * kWidth);
    for (unsigned i = 0; i < kSamples * kRows; ++i)
        for (unsigned head = 0; head < kHeads; ++head)
            attend(std::span(given.input).subspan(i / kRows * kRows * 3 * kWidth, kRows * 3 * kWidth),
                   i % kRows, head, std::span(output).subspan(i * kWidth, kWidth));
    return output;
}

Values wide(const std::vector<float>& values)
{
    return {values.begin(), values.end()};
}

class RowLayer : public testing::TestWithParam<LayerCase> {
protected:
    std::unique_ptr<Layer> m_layer = GetParam().make();
    std::vector<float> m_input = randomValues(m_layer->shape().inputs * kSamples, 1);
    std::vector<float> m_weights = randomValues(m_layer->shape().weights, 2);
    std::vector<float> m_bias = randomValues(m_layer->shape().bias, 3);
    Workplace m_workplace;
    DeviceArray<float> m_deviceInput = onDevice(m_input);
    // One more than there are: some layers have none.
    DeviceArray<float> m_deviceWeights{m_weights.size() + 1};
    DeviceArray<float> m_deviceBias{m_bias.size() + 1};
    DeviceArray<float> m_weightGradient{m_weights.size() + 1};
    DeviceArray<float> m_biasGradient{m_bias.size() + 1};
    Layer::Parameters m_parameters{.bias = m_deviceBias.data(),
                                   .weights = m_deviceWeights.data(),
                                   .biasGradient = m_biasGradient.data(),
                                   .weightGradient = m_weightGradient.data()};

    std::vector<float> forward()
    {
        toDevice(m_weights, m_deviceWeights.data());
        toDevice(m_bias, m_deviceBias.data());
        m_layer->allocate(kSamples);
        m_layer->forward(m_workplace.queue(), m_parameters, m_deviceInput.data(), kSamples);
        m_workplace.wait();
        return toHost(m_layer->output().data(), m_layer->output().size());
    }
    [[nodiscard]] Arguments arguments() const { return {wide(m_input), wide(m_weights), wide(m_bias)}; }
    /// How the outputs, each weighted by its gradient, change with each of the loops' arguments.
    [[nodiscard]] static Values slopes(Values Arguments::*which, Arguments at,
                                       const std::vector<float>& weight)
    {
        constexpr double kStep = 1e-5;
        const auto sum = [&] {
            const Values output = GetParam().naive(at);
            return std::inner_product(output.begin(), output.end(), weight.begin(), 0.0);
        };
        Values result;
        for (double& value : at.*which) {
            const double middle = value;
            value = middle + kStep;
            const double up = sum();
            value = middle - kStep;
            result.push_back((up - sum()) / (2 * kStep));
            value = middle;
        }
        return result;
    }
};

const LayerCase kCases[] = {
    {"dense",
     [] { return std::make_unique<Dense>(kWidth, kOutputs, Activation::None, Dense::Rows{.count = kRows}); },
     [](const Arguments& given) { return naiveDense(given, false); }},
    {"denseWithPlaces",
     [] {
         return std::make_unique<Dense>(kWidth, kOutputs, Activation::None,
                                        Dense::Rows{.count = kRows, .ownBias = true});
     },
     [](const Arguments& given) { return naiveDense(given, true); }},
    {"layerNorm", [] { return std::make_unique<LayerNorm>(kRows, kWidth); }, naiveLayerNorm},
    {"meanPool", [] { return std::make_unique<MeanPool>(kRows, kWidth); }, naiveMeanPool},
    {"attention", [] { return std::make_unique<Attention>(kRows, kWidth, kHeads); }, naiveAttention},
};

} // namespace

TEST_P(RowLayer, computesWhatTheLoopsCompute)
{
    EXPECT_TRUE(areNear(GetParam().naive(arguments()), forward())) << "output";
}

TEST_P(RowLayer, hasTheSlopesOfTheLoops)
{
    const std::vector<float> gradient = randomValues(forward().size(), 4);
    toDevice(gradient, m_layer->outputGradient().data());
    const DeviceArray<float> inputGradient(m_input.size());
    m_layer->parameterGradients(m_workplace.queue(), m_parameters, m_deviceInput.data(), kSamples);
    m_layer->inputGradients(m_workplace.queue(), m_parameters, inputGradient.data(), kSamples);
    m_workplace.wait();
    EXPECT_TRUE(areNear(slopes(&Arguments::bias, arguments(), gradient),
                        toHost(m_biasGradient.data(), m_bias.size())))
        << "bias";
    EXPECT_TRUE(areNear(slopes(&Arguments::weights, arguments(), gradient),
                        toHost(m_weightGradient.data(), m_weights.size())))
        << "weights";
    EXPECT_TRUE(areNear(slopes(&Arguments::input, arguments(), gradient),
                        toHost(inputGradient.data(), m_input.size())))
        << "input";
}

INSTANTIATE_TEST_SUITE_P(Kinds, RowLayer, testing::ValuesIn(kCases),
                         [](const auto& tested) { return tested.param.name; });

// More rows than one partial sum takes, and one row more than a whole number of them.
TEST(ColumnSums, addUpEveryRow)
{
    constexpr unsigned kColumns = 3;
    const Workplace workplace;
    for (const unsigned rows : {1U, 128U, 129U, 300U}) {
        const std::vector<float> values = randomValues(std::size_t{rows} * kColumns, rows);
        Values expected(kColumns);
        for (std::size_t i = 0; i < values.size(); ++i)
            expected[i % kColumns] += static_cast<double>(values[i]);
        const DeviceArray<float> matrix = onDevice(values);
        const DeviceArray<float> sums(kColumns);
        const ColumnSums columnSums(rows, kColumns);
        columnSums(workplace.queue(), matrix.data(), rows, sums.data());
        workplace.wait();
        EXPECT_TRUE(areNear(expected, toHost(sums.data(), kColumns))) << "sum";
    }
}
