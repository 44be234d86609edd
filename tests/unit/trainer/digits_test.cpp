// SPDX-License-Identifier: Apache-2.0
#include "digits.h"

#include <gtest/gtest.h>

#include <array>
#include <numeric>
#include <vector>

using namespace ringside::trainer;

namespace {

struct Sample {
    int digit = 0;
    std::vector<float> pixels = std::vector<float>(kImagePixels);
    bool operator==(const Sample&) const = default;
};

Sample draw(std::uint64_t seed, std::uint64_t index)
{
    Sample sample;
    sample.digit = drawDigit(seed, index, sample.pixels);
    return sample;
}

} // namespace

TEST(Digits, areTheSameForTheSameSeedAndIndex)
{
    EXPECT_EQ(draw(1, 42), draw(1, 42));
}

TEST(Digits, differBetweenIndicesSeedsAndTheHeldOutPart)
{
    const Sample sample = draw(1, 42);
    EXPECT_NE(sample, draw(1, 43));
    EXPECT_NE(sample, draw(2, 42));
    EXPECT_NE(sample, draw(1, kHeldOutBegin + 42));
}

TEST(Digits, comeAllAboutEquallyOften)
{
    std::array<int, kDigitClasses> counts{};
    for (std::uint64_t index = 0; index < 2000; ++index)
        ++counts.at(static_cast<unsigned>(draw(3, index).digit));
    for (const int count : counts)
        EXPECT_NEAR(count, 200, 60);
}

TEST(Digits, haveInkOnTheImage)
{
    for (std::uint64_t index = 0; index < 50; ++index) {
        const Sample sample = draw(5, index);
        const float ink = std::accumulate(sample.pixels.begin(), sample.pixels.end(), 0.0F);
        EXPECT_GT(ink, 25.0F) << "digit " << sample.digit;
        EXPECT_LT(ink, 400.0F) << "digit " << sample.digit;
    }
}
