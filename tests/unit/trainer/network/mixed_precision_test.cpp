// SPDX-License-Identifier: Apache-2.0
// Matrix products of 16-bit copies against naive ones of rounded factors, the loss scale, and the check for
// overflow.
#include "device.h"
#include "half_copies.h"
#include "matrix.h"
#include "models/models.h"
#include "overflow_check.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

using namespace ringside::trainer;
using namespace ringside::test;

namespace {

constexpr unsigned kLeftRows = 5;
constexpr unsigned kInner = 33;
constexpr unsigned kColumns = 7;

std::vector<float> rounded(const char* type, const std::vector<float>& values)
{
    const Stream stream = makeStream();
    const DeviceArray<float> wide = onDevice(values);
    const DeviceArray<unsigned short> narrow(values.size());
    const auto count = static_cast<unsigned>(values.size());
    RS_CHECK(halfType(type).narrow(stream.get(), count, wide.data(), narrow.data()));
    RS_CHECK(halfType(type).widen(stream.get(), count, narrow.data(), wide.data()));
    RS_CHECK(cudaStreamSynchronize(stream.get()));
    return toHost(wide.data(), values.size());
}

/// left (kLeftRows x kInner) times right (kInner x kColumns)
double entry(const std::vector<float>& left, const std::vector<float>& right, unsigned row, unsigned column)
{
    double sum = 0;
    for (unsigned k = 0; k < kInner; ++k)
        sum +=
            static_cast<double>(left[row * kInner + k]) * static_cast<double>(right[k * kColumns + column]);
    return sum;
}

/// The gradients of a small network's first batch.
std::vector<float> gradientsOf(const char* precision, float lossScale)
{
    const Stream stream = makeStream();
    Options options;
    options.hidden = 24;
    options.layers = 2;
    Network network(modelFor(options).layers, 8, 3, stream.get(), 0, precision);
    network.setLossScale(lossScale);
    const DeviceArray<float> images = onDevice(randomValues(std::size_t{8} * 784, 9));
    const DeviceArray<int> labels = onDevice(std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7});
    const DeviceArray<float> mean(1);
    static_cast<void>(network.forward(images.data(), 8, Hooks{}));
    network.backward(images.data(), labels.data(), 8, mean.data(), Hooks{}, [](std::size_t) {});
    RS_CHECK(cudaStreamSynchronize(stream.get()));
    return toHost(network.gradients().data(), network.gradients().size());
}

} // namespace

TEST(MixedPrecision, multipliesRoundedFactorsAndSumsInSingle)
{
    const std::vector<float> left = randomValues(std::size_t{kLeftRows} * kInner, 1);
    const std::vector<float> right = randomValues(std::size_t{kInner} * kColumns, 2);
    for (const char* type : {"fp16", "bf16"}) {
        const Workplace workplace;
        const DeviceArray<float> parameters = onDevice(right);
        const DeviceArray<float> values = onDevice(left);
        const DeviceArray<float> result(std::size_t{kLeftRows} * kColumns);
        HalfCopies halves(type, parameters, left.size());
        Queue queue = workplace.queue();
        queue.halves = &halves;
        halves.refresh(queue.stream);
        multiply(queue, {{values.data(), kLeftRows, kInner}}, {{parameters.data(), kInner, kColumns}},
                 result.data());
        workplace.wait();
        const std::vector<float> got = toHost(result.data(), result.size());
        for (unsigned row = 0; row < kLeftRows; ++row)
            for (unsigned column = 0; column < kColumns; ++column)
                EXPECT_NEAR(static_cast<double>(got[row * kColumns + column]),
                            entry(rounded(type, left), rounded(type, right), row, column), 1e-5)
                    << type;
    }
}

TEST(MixedPrecision, refusesAFactorThatWasNotAnnounced)
{
    const Workplace workplace;
    const DeviceArray<float> parameters(1);
    const DeviceArray<float> values(11);
    HalfCopies halves("bf16", parameters, 10);
    EXPECT_THROW(
        static_cast<void>(halves.of(workplace.queue().stream, values.data(), 11, HalfCopies::Side::Left)),
        Failure);
}

TEST(MixedPrecision, scalesTheGradientsByTheLossScale)
{
    const std::vector<float> plain = gradientsOf("fp32", 1);
    const std::vector<float> scaled = gradientsOf("fp32", 1024); // a power of two: exact
    const std::vector<float> mixed = gradientsOf("fp16", 1024);
    double squares = 0;
    double difference = 0;
    for (std::size_t i = 0; i < plain.size(); ++i) {
        EXPECT_EQ(scaled[i], 1024 * plain[i]) << i;
        squares += std::pow(static_cast<double>(plain[i]), 2);
        difference += std::pow(static_cast<double>(mixed[i] / 1024 - plain[i]), 2);
    }
    EXPECT_LT(std::sqrt(difference / squares), 5e-3);
}

TEST(OverflowCheck, findsWhatIsNotFinite)
{
    const Stream stream = makeStream();
    OverflowCheck check;
    std::vector<float> values = randomValues(3000, 8);
    values[7] = std::numeric_limits<float>::max();
    EXPECT_FALSE(check.overflowed(stream.get(), onDevice(values)));
    for (const float bad : {std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::infinity(),
                            std::numeric_limits<float>::quiet_NaN()}) {
        std::vector<float> overflowed = values;
        overflowed[2999] = bad;
        EXPECT_TRUE(check.overflowed(stream.get(), onDevice(overflowed)));
        EXPECT_FALSE(check.overflowed(stream.get(), onDevice(values))); // not for ever
    }
}
