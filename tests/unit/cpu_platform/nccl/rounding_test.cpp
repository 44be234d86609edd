// SPDX-License-Identifier: Apache-2.0
// Reductions of 16 and 8 bit floating point types round correctly: of two ranks' values, any finite ones, the
// result is the nearest value of the type, and of two equally near ones that with an even last bit.
#include "reference.h"

#include <gtest/gtest.h>

#include <random>

namespace ringside::test {
namespace {

constexpr std::size_t kRounded = 40'000;

/// Random values of moderate size, so that no sum or product leaves the type's normal range.
template <class T>
std::vector<T> randomValues(int rank, double largest)
{
    std::mt19937 random(static_cast<unsigned>(17 + rank));
    std::uniform_real_distribution<double> values(0.3, largest);
    std::vector<T> result(kRounded);
    for (T& value : result)
        value = narrow<T>(random() % 2 == 0 ? values(random) : -values(random));
    return result;
}

template <class T>
void expectNearest(T value, long double exact, const std::string& what)
{
    const auto distance = [exact](T candidate) {
        return std::fabs(static_cast<long double>(wide(candidate)) - exact);
    };
    for (const int step : {-1, 1}) {
        const T other = T::fromBits(static_cast<typename T::Bits>(value.bits + step));
        check(distance(value) < distance(other) ||
                  (distance(value) == distance(other) && value.bits % 2 == 0),
              what + " is not rounded to nearest even: " + std::to_string(wide(value)) + " and not " +
                  std::to_string(static_cast<double>(exact)));
    }
}

template <class T>
void expectRounding(Rank& self, ncclDataType_t type, double largest)
{
    const std::vector<T> mine = randomValues<T>(self.rank, largest);
    const std::vector<T> theirs = randomValues<T>(1 - self.rank, largest);
    std::vector<T> sums(kRounded);
    std::vector<T> products(kRounded);
    succeed(ncclAllReduce(mine.data(), sums.data(), kRounded, type, ncclSum, self.comm, self.stream), "sum");
    succeed(ncclAllReduce(mine.data(), products.data(), kRounded, type, ncclProd, self.comm, self.stream),
            "product");
    self.synchronise();
    for (std::size_t i = 0; i < kRounded; ++i) {
        const long double sum = static_cast<long double>(wide(mine[i])) + wide(theirs[i]);
        if (sum != 0) // whose neighbours are not next to it in bits
            expectNearest(sums[i], sum, "a sum");
        expectNearest(products[i], static_cast<long double>(wide(mine[i])) * wide(theirs[i]), "a product");
    }
}

TEST(Rounding, ofNarrowTypesIsToNearestEven)
{
    EXPECT_TRUE(ranksEndWell(2, [](Rank& self) {
        expectRounding<platform::Half>(self, ncclFloat16, 100);
        expectRounding<platform::Bfloat16>(self, ncclBfloat16, 1e6);
        expectRounding<platform::Float8E4m3>(self, ncclFloat8e4m3, 16);
        expectRounding<platform::Float8E5m2>(self, ncclFloat8e5m2, 100);
    }));
}

TEST(Rounding, keepsTheNumberOfANumberAndANaN)
{
    EXPECT_TRUE(ranksEndWell(2, [](Rank& self) {
        const float nan = std::nanf("");
        const std::vector<float> in = self.rank == 0 ? std::vector{nan, 2.0F} : std::vector{-1.0F, nan};
        std::vector<float> largest(2);
        std::vector<float> smallest(2);
        succeed(ncclAllReduce(in.data(), largest.data(), 2, ncclFloat32, ncclMax, self.comm, self.stream),
                "max");
        succeed(ncclAllReduce(in.data(), smallest.data(), 2, ncclFloat32, ncclMin, self.comm, self.stream),
                "min");
        self.synchronise();
        check(largest == std::vector{-1.0F, 2.0F}, "max lost a number to a NaN");
        check(smallest == largest, "min lost a number to a NaN");
    }));
}

} // namespace
} // namespace ringside::test
