// SPDX-License-Identifier: Apache-2.0
// The selection of the largest values against a sorted copy.
#include "device.h"
#include "largest_values.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <set>

using namespace ringside::trainer;
using namespace ringside::test;

namespace {

struct Taken {
    std::vector<TopkEntry> entries;
    std::vector<float> left;
};

Taken take(const std::vector<float>& values, unsigned wanted)
{
    const Stream stream = makeStream();
    LargestValues largest;
    const DeviceArray<float> array = onDevice(values);
    const DeviceArray<TopkEntry> entries(wanted);
    largest.extract(stream.get(), array.data(), static_cast<unsigned>(values.size()), wanted, entries.data());
    RS_CHECK(cudaStreamSynchronize(stream.get()));
    Taken taken;
    taken.entries.resize(wanted);
    RS_CHECK(
        cudaMemcpy(taken.entries.data(), entries.data(), wanted * sizeof(TopkEntry), cudaMemcpyDeviceToHost));
    taken.left = toHost(array.data(), values.size());
    return taken;
}

/// The magnitudes taken are the largest, each is there once and with its place, and its place is 0 now.
void expectLargest(std::vector<float> values, unsigned wanted)
{
    const Taken taken = take(values, wanted);
    std::vector<float> magnitudes;
    std::set<unsigned> places;
    for (const TopkEntry& entry : taken.entries) {
        ASSERT_LT(entry.index, values.size());
        EXPECT_EQ(entry.value, values[entry.index]);
        magnitudes.push_back(std::abs(entry.value));
        places.insert(entry.index);
    }
    EXPECT_EQ(places.size(), wanted);
    for (unsigned i = 0; i < values.size(); ++i)
        EXPECT_EQ(taken.left[i], places.contains(i) ? 0.0F : values[i]) << i;
    for (float& value : values)
        value = std::abs(value);
    std::ranges::sort(values, std::greater());
    std::ranges::sort(magnitudes, std::greater());
    values.resize(wanted);
    EXPECT_EQ(magnitudes, values);
}

} // namespace

TEST(LargestValues, areThoseOfASortedCopy)
{
    for (const unsigned count : {1U, 2U, 255U, 1000U, 40'001U, 300'000U}) {
        std::vector<float> values = randomValues(count, count);
        for (unsigned i = 0; i < count; ++i) // over many exponents, subnormals among them
            values[i] = std::ldexp(values[i], -static_cast<int>(i % 150));
        for (const unsigned wanted : {1U, count / 100, count / 2, count})
            if (wanted > 0)
                expectLargest(values, wanted);
    }
}

TEST(LargestValues, takeAsManyOfEqualOnesAsAreMissing)
{
    std::vector<float> values(5000, -0.5F);
    for (unsigned i = 0; i < 30; ++i)
        values[i * 160] = i % 2 == 0 ? 2.0F : -2.0F;
    for (const unsigned wanted : {7U, 30U, 31U, 700U, 5000U})
        expectLargest(values, wanted);
    expectLargest(std::vector<float>(3000, 0.0F), 12);
}

TEST(LargestValues, areTheSameAgain)
{
    const std::vector<float> values(2000, 1.0F);
    const Taken once = take(values, 77);
    const Taken again = take(values, 77);
    for (unsigned i = 0; i < 77; ++i)
        EXPECT_EQ(once.entries[i].index, again.entries[i].index);
}

TEST(LargestValues, letNothingHideThatIsNoNumber)
{
    std::vector<float> values = randomValues(3000, 4);
    values[1234] = -std::numeric_limits<float>::quiet_NaN();
    values[99] = std::numeric_limits<float>::infinity();
    const Taken taken = take(values, 2);
    EXPECT_EQ((std::set<unsigned>{taken.entries[0].index, taken.entries[1].index}),
              (std::set<unsigned>{99, 1234}));
}
