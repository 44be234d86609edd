// SPDX-License-Identifier: Apache-2.0
// The optimizers against their definitions in double precision.
#include "device.h"
#include "optimizer.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace ringside::trainer;
using namespace ringside::test;

namespace {

constexpr std::size_t kCount = 1000; // no multiple of a block
constexpr unsigned kSteps = 12;
constexpr float kRanks = 4;

/// Small and large ones, and one that is always 0.
std::vector<float> gradientsOf(unsigned step)
{
    std::vector<float> gradients = randomValues(kCount, 100 + step);
    for (std::size_t i = 0; i < kCount; ++i)
        gradients[i] *= std::pow(10.0F, static_cast<float>(i % 7) - 5.0F);
    gradients[0] = 0;
    return gradients;
}

std::vector<float> train(const Options& options, unsigned steps)
{
    const Stream stream = makeStream();
    const auto optimizer = makeOptimizer(options, kCount);
    const DeviceArray<float> parameters = onDevice(randomValues(kCount, 1));
    for (unsigned step = 1; step <= steps; ++step) {
        const DeviceArray<float> gradients = onDevice(gradientsOf(step));
        optimizer->step(stream.get(), {.parameters = parameters.data(), .gradients = gradients.data()},
                        1 / kRanks);
        RS_CHECK(cudaStreamSynchronize(stream.get()));
    }
    return toHost(parameters.data(), kCount);
}

/// `next(i, step, gradient)` is what a step takes off parameter i.
template <class Next>
std::vector<double> trainNaively(unsigned steps, Next next)
{
    const std::vector<float> start = randomValues(kCount, 1);
    std::vector<double> parameters(start.begin(), start.end());
    for (unsigned step = 1; step <= steps; ++step) {
        const std::vector<float> gradients = gradientsOf(step);
        for (std::size_t i = 0; i < kCount; ++i)
            parameters[i] -= next(i, step, static_cast<double>(gradients[i] / kRanks));
    }
    return parameters;
}

std::vector<double> adam(double lr, unsigned steps)
{
    std::vector<double> means(kCount);
    std::vector<double> squares(kCount);
    return trainNaively(steps, [&](std::size_t i, unsigned step, double gradient) {
        means[i] = 0.9 * means[i] + 0.1 * gradient;
        squares[i] = 0.999 * squares[i] + 0.001 * gradient * gradient;
        const double mean = means[i] / (1 - std::pow(0.9, step));
        const double square = squares[i] / (1 - std::pow(0.999, step));
        return lr * mean / (std::sqrt(square) + 1e-8);
    });
}

std::vector<double> sgd(double lr, double momentum, unsigned steps)
{
    std::vector<double> velocities(kCount);
    return trainNaively(steps, [&](std::size_t i, unsigned, double gradient) {
        velocities[i] = momentum * velocities[i] + gradient;
        return lr * velocities[i];
    });
}

void expectNear(const std::vector<double>& expected, const std::vector<float>& actual)
{
    for (std::size_t i = 0; i < kCount; ++i)
        ASSERT_NEAR(expected[i], static_cast<double>(actual[i]), 2e-6) << i;
}

Options with(const char* optimizer, float lr)
{
    Options options;
    options.optimizer = optimizer;
    options.lr = lr;
    return options;
}

} // namespace

TEST(Adam, isTheTextbooks)
{
    expectNear(adam(0.01, 1), train(with("adam", 0.01F), 1)); // the corrections are largest here
    expectNear(adam(0.01, kSteps), train(with("adam", 0.01F), kSteps));
}

TEST(Adam, leavesAParameterWithoutGradientAlone)
{
    EXPECT_EQ(train(with("adam", 0.01F), kSteps)[0], randomValues(kCount, 1)[0]);
}

TEST(Sgd, isTheTextbooksWithMomentum)
{
    Options options = with("sgd", 0.05F);
    options.momentum = 0.8F;
    expectNear(sgd(0.05, 0.8, kSteps), train(options, kSteps));
}

TEST(Optimizers, haveTheirUsualRates)
{
    Options options;
    EXPECT_EQ(learningRate(options), 0.02F);
    options.optimizer = "adam";
    EXPECT_EQ(learningRate(options), 0.001F);
    options.lr = 0.5F;
    EXPECT_EQ(learningRate(options), 0.5F);
}
