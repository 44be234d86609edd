// SPDX-License-Identifier: Apache-2.0
// Conversions of the narrow floating point types, compared with a reference: the list of all values of a type
// as doubles, from the definition of its format.
#include "narrow_float.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#if __has_include(<cuda_fp8.h>)
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#endif

namespace {

using namespace ringside::platform;

struct Format {
    int exponentBits;
    int mantissaBits;
    bool hasInfinity;
    bool saturates;
};
template <class T>
struct FormatOf;
template <>
struct FormatOf<Half> {
    static constexpr Format kFormat{5, 10, true, false};
};
template <>
struct FormatOf<Bfloat16> {
    static constexpr Format kFormat{8, 7, true, false};
};
template <>
struct FormatOf<Float8E4m3> {
    static constexpr Format kFormat{4, 3, false, true};
};
template <>
struct FormatOf<Float8E5m2> {
    static constexpr Format kFormat{5, 2, true, true};
};

// What a pattern without its sign means.
double meaning(const Format& format, unsigned pattern)
{
    const int bias = (1 << (format.exponentBits - 1)) - 1;
    const unsigned exponent = pattern >> format.mantissaBits;
    const unsigned fraction = pattern - (exponent << format.mantissaBits);
    const unsigned top = (1U << format.exponentBits) - 1;
    const unsigned allOnes = (1U << format.mantissaBits) - 1;
    if (format.hasInfinity && exponent == top)
        return fraction == 0 ? std::numeric_limits<double>::infinity() : std::nan("");
    if (!format.hasInfinity && exponent == top && fraction == allOnes)
        return std::nan("");
    if (exponent == 0)
        return std::ldexp(fraction, 1 - bias - format.mantissaBits);
    return std::ldexp(fraction + (1U << format.mantissaBits),
                      static_cast<int>(exponent) - bias - format.mantissaBits);
}

// The finite values from 0 up; their index is their pattern.
std::vector<double> finiteValues(const Format& format)
{
    std::vector<double> values;
    for (unsigned pattern = 0; std::isfinite(meaning(format, pattern)); ++pattern)
        values.push_back(meaning(format, pattern));
    return values;
}

template <class T>
class NarrowFloatTest : public testing::Test {
protected:
    using Bits = typename T::Bits;
    static constexpr Format kFormat = FormatOf<T>::kFormat;
    static constexpr unsigned kSign = 1U << (kFormat.exponentBits + kFormat.mantissaBits);

    const std::vector<double> values = finiteValues(kFormat);

    // The pattern nearest to a float that is not NaN.
    [[nodiscard]] unsigned expected(float value) const
    {
        const double magnitude = std::fabs(static_cast<double>(value));
        const unsigned sign = std::signbit(value) ? kSign : 0;
        const auto largest = static_cast<unsigned>(values.size() - 1);
        // Beyond the largest value the spacing goes on; half of it away is the first that does not round
        // back.
        const double half = (values[largest] - values[largest - 1]) / 2;
        if (kFormat.saturates && magnitude >= values[largest])
            return sign | largest;
        if (magnitude >= values[largest] + half)
            return sign | (largest + 1);
        const auto above = std::lower_bound(values.begin(), values.end(), magnitude);
        const auto high = static_cast<unsigned>(std::min(above - values.begin(), std::ptrdiff_t{largest}));
        if (high == 0 || values[high] <= magnitude)
            return sign | high;
        const double toLow = magnitude - values[high - 1];
        const double toHigh = values[high] - magnitude;
        if (toLow == toHigh)
            return sign | (high % 2 == 0 ? high : high - 1);
        return sign | (toLow < toHigh ? high - 1 : high);
    }
    void check(float value) const
    {
        for (const float signedValue : {value, -value})
            ASSERT_EQ(static_cast<unsigned>(T(signedValue).bits), expected(signedValue)) << signedValue;
    }
};

using Types = testing::Types<Half, Bfloat16, Float8E4m3, Float8E5m2>;
TYPED_TEST_SUITE(NarrowFloatTest, Types);

TYPED_TEST(NarrowFloatTest, everyPatternBecomesWhatItMeans)
{
    for (unsigned pattern = 0; pattern < 2 * this->kSign; ++pattern) {
        const auto bits = static_cast<typename TypeParam::Bits>(pattern);
        const auto value = static_cast<float>(TypeParam::fromBits(bits));
        const double meant = meaning(this->kFormat, pattern % this->kSign);
        ASSERT_EQ(std::isnan(value), std::isnan(meant)) << pattern;
        ASSERT_EQ(std::signbit(value), pattern >= this->kSign) << pattern;
        if (!std::isnan(meant)) {
            ASSERT_EQ(std::fabs(static_cast<double>(value)), meant) << pattern;
        }
    }
}

TYPED_TEST(NarrowFloatTest, everyPatternSurvivesTheRoundTrip)
{
    for (unsigned pattern = 0; pattern < 2 * this->kSign; ++pattern) {
        const auto bits = static_cast<typename TypeParam::Bits>(pattern);
        const TypeParam back(static_cast<float>(TypeParam::fromBits(bits)));
        const double meant = meaning(this->kFormat, pattern % this->kSign);
        if (std::isnan(meant))
            ASSERT_EQ(static_cast<unsigned>(back.bits), this->kSign - 1) << pattern;
        else if (std::isinf(meant) && this->kFormat.saturates)
            ASSERT_EQ(static_cast<unsigned>(back.bits), pattern - 1) << pattern;
        else
            ASSERT_EQ(static_cast<unsigned>(back.bits), pattern);
    }
}

// All values, all midpoints, and the floats next to each: where rounding is decided.
TYPED_TEST(NarrowFloatTest, roundsToNearestAndTiesToEven)
{
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    for (std::size_t i = 1; i < this->values.size(); ++i) {
        const auto low = static_cast<float>(this->values[i - 1]);
        const auto middle = static_cast<float>((this->values[i - 1] + this->values[i]) / 2);
        for (const float value : {low, middle}) {
            this->check(value);
            this->check(std::nextafter(value, kInfinity));
            this->check(std::nextafter(value, 0.0F));
        }
    }
}

TYPED_TEST(NarrowFloatTest, overflowsAsItsFormatDefines)
{
    const double largest = this->values.back();
    const double half = (largest - this->values[this->values.size() - 2]) / 2;
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    for (const double value : {largest, largest + half / 2, largest + half, largest + 2 * half}) {
        if (value > static_cast<double>(std::numeric_limits<float>::max()))
            continue;
        this->check(static_cast<float>(value));
        this->check(std::nextafter(static_cast<float>(value), 0.0F));
        this->check(std::nextafter(static_cast<float>(value), kInfinity));
    }
    this->check(std::numeric_limits<float>::max());
    this->check(kInfinity);
}

TYPED_TEST(NarrowFloatTest, agreesWithTheReferenceOnFloatsOfAllSizes)
{
    std::mt19937 random(20); // NOLINT(cert-msc32-c,cert-msc51-cpp): the same numbers in every run
    for (int i = 0; i < 200'000; ++i) {
        const auto value = std::bit_cast<float>(static_cast<std::uint32_t>(random()));
        if (!std::isnan(value))
            this->check(std::fabs(value));
    }
    this->check(std::numeric_limits<float>::denorm_min());
}

TYPED_TEST(NarrowFloatTest, keepsNaN)
{
    for (const std::uint32_t pattern : {0x7F800001U, 0x7FC00000U, 0x7FFFFFFFU, 0xFF800001U, 0xFFFFFFFFU})
        EXPECT_EQ(static_cast<unsigned>(TypeParam(std::bit_cast<float>(pattern)).bits), this->kSign - 1);
}

#if __has_include(<cuda_fp8.h>)
// The vendor's own conversions for the host, where the toolkit is there.
TEST(NarrowFloat, agreesWithTheVendorsConversions)
{
    std::mt19937 random(21); // NOLINT(cert-msc32-c,cert-msc51-cpp): the same numbers in every run
    for (int i = 0; i < 300'000; ++i) {
        const auto value = std::bit_cast<float>(static_cast<std::uint32_t>(random()));
        if (std::isnan(value))
            continue;
        ASSERT_EQ(Half(value).bits, __half_raw(__float2half(value)).x) << value;
        ASSERT_EQ(Bfloat16(value).bits, __nv_bfloat16_raw(__float2bfloat16(value)).x) << value;
        ASSERT_EQ(Float8E4m3(value).bits, __nv_cvt_float_to_fp8(value, __NV_SATFINITE, __NV_E4M3)) << value;
        ASSERT_EQ(Float8E5m2(value).bits, __nv_cvt_float_to_fp8(value, __NV_SATFINITE, __NV_E5M2)) << value;
    }
}
#endif

} // namespace
