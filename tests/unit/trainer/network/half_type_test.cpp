// SPDX-License-Identifier: Apache-2.0
// The kernels to and from 16 bits, at the values where rounding goes wrong.
#include "device.h"
#include "half_type.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

using namespace ringside::trainer;
using namespace ringside::test;

namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

/// There and back.
std::vector<float> through(const char* name, const std::vector<float>& values)
{
    const Stream stream = makeStream();
    const HalfType type = halfType(name);
    const DeviceArray<float> wide = onDevice(values);
    const DeviceArray<unsigned short> narrow(values.size());
    const auto count = static_cast<unsigned>(values.size());
    RS_CHECK(type.narrow(stream.get(), count, wide.data(), narrow.data()));
    RS_CHECK(type.widen(stream.get(), count, narrow.data(), wide.data()));
    RS_CHECK(cudaStreamSynchronize(stream.get()));
    return toHost(wide.data(), values.size());
}

float throughOne(const char* name, float value)
{
    return through(name, {value}).front();
}

} // namespace

TEST(HalfTypes, roundToTheirOwnNearest)
{
    for (const auto& [name, bits] : {std::pair("fp16", 11), std::pair("bf16", 8)}) {
        const std::vector<float> values = randomValues(1000, 3);
        const std::vector<float> rounded = through(name, values);
        for (std::size_t i = 0; i < values.size(); ++i) {
            // Half a unit of the last of so many bits.
            const float unit = std::ldexp(1.0F, std::ilogb(values[i]) - bits);
            EXPECT_LE(std::abs(rounded[i] - values[i]), unit) << name << " " << values[i];
            EXPECT_EQ(std::fmod(rounded[i], 2 * unit), 0.0F) << name << " " << values[i];
        }
    }
}

TEST(HalfTypes, roundTiesToEven)
{
    EXPECT_EQ(throughOne("bf16", 1.0F + std::ldexp(1.0F, -8)), 1.0F);
    EXPECT_EQ(throughOne("bf16", 1.0F + 3 * std::ldexp(1.0F, -8)), 1.0F + std::ldexp(1.0F, -6));
    EXPECT_EQ(throughOne("fp16", 1.0F + std::ldexp(1.0F, -11)), 1.0F);
    EXPECT_EQ(throughOne("fp16", 1.0F + 3 * std::ldexp(1.0F, -11)), 1.0F + std::ldexp(1.0F, -9));
}

TEST(HalfTypes, overflowWhereTheirRangeEnds)
{
    EXPECT_EQ(throughOne("fp16", 65504.0F), 65504.0F);
    EXPECT_EQ(throughOne("fp16", -70000.0F), -kInfinity);
    EXPECT_NEAR(static_cast<double>(throughOne("bf16", 70000.0F)), 70000, 70000.0 / 256);
    EXPECT_EQ(throughOne("bf16", std::numeric_limits<float>::max()), kInfinity);
}

TEST(HalfTypes, keepWhatIsNoNumber)
{
    for (const char* name : {"fp16", "bf16"}) {
        EXPECT_EQ(throughOne(name, kInfinity), kInfinity) << name;
        EXPECT_EQ(throughOne(name, 0.0F), 0.0F) << name;
        EXPECT_TRUE(std::isnan(throughOne(name, std::numeric_limits<float>::quiet_NaN()))) << name;
        EXPECT_TRUE(std::isnan(throughOne(name, -std::numeric_limits<float>::signaling_NaN()))) << name;
    }
}
