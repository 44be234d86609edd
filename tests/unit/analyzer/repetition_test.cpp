// SPDX-License-Identifier: Apache-2.0
// The scales on which a sequence repeats, and where a pattern's copies lie in it.
#include "model/call_cycle.h"
#include "model/pattern_cuts.h"

#include <gtest/gtest.h>

namespace ringside::model {
namespace {

using Tokens = std::vector<std::uint64_t>;

Tokens repeat(const Tokens& tokens, int times)
{
    Tokens all;
    for (int i = 0; i < times; ++i) {
        all.insert(all.end(), tokens.begin(), tokens.end());
    }
    return all;
}

Tokens join(Tokens one, const Tokens& other)
{
    one.insert(one.end(), other.begin(), other.end());
    return one;
}

std::vector<std::size_t> lengthsOf(const Tokens& tokens)
{
    std::vector<std::size_t> lengths;
    for (const Repetition& repetition : findRepetitions(tokens)) {
        lengths.push_back(repetition.length);
    }
    return lengths;
}

TEST(Repetition, IsFoundOnAllScales)
{
    const Tokens layers = repeat({1}, 40);
    const Tokens step = join(layers, {2, 3});
    const Tokens withLosses = join(repeat(step, 10), {4});
    EXPECT_EQ(lengthsOf(repeat(withLosses, 6)), (std::vector<std::size_t>{1, 42, 421}));
}

TEST(Repetition, IsAtItsPlace)
{
    const Tokens tokens = join({9, 9, 8}, repeat({1, 2, 1, 3}, 40));
    const auto found = findRepetitions(tokens);
    ASSERT_FALSE(found.empty());
    EXPECT_EQ(found.back().length, 4U);
    const StretchHashes hashes(tokens);
    EXPECT_EQ(hashes.of(found.back().first, 4), hashes.of(found.back().first + 4, 4));
    EXPECT_NE(hashes.of(found.back().first, 4), hashes.of(found.back().first + 1, 4));
}

TEST(Repetition, IsNotThereWhereNothingRepeats)
{
    EXPECT_TRUE(lengthsOf({1, 2, 3, 4, 5, 6, 7, 8, 9}).empty());
    EXPECT_TRUE(lengthsOf({1}).empty());
    EXPECT_TRUE(lengthsOf({}).empty());
}

/// A quadratic search would not end within the test's time.
TEST(Repetition, IsSearchedInLongSequencesOfAnyKind)
{
    constexpr std::size_t kMany = 1U << 18U;
    const Tokens equal(kMany, 7);
    EXPECT_EQ(lengthsOf(equal), (std::vector<std::size_t>{1}));
    const Tokens half(kMany / 2, 7);
    EXPECT_EQ(findCopies(equal, half).size(), 2U);
    Tokens nearly = half;
    nearly.back() = 8;
    EXPECT_TRUE(findCopies(equal, nearly).empty());
    Tokens counted;
    for (std::size_t i = 0; i < kMany; ++i) {
        counted.push_back(i);
    }
    EXPECT_TRUE(lengthsOf(counted).empty());
    EXPECT_TRUE(findCopies(counted, Tokens{3, 2, 1}).empty());
}

TEST(FindCopies, CountsOnesThatLostOrGainedARecord)
{
    const Tokens pattern{1, 1, 1, 2, 3, 4, 5, 6, 7, 8};
    Tokens lost = pattern;
    lost.erase(lost.begin() + 1);
    Tokens gained = pattern;
    gained.insert(gained.begin() + 6, 9);
    const Tokens tokens = join(join(join(pattern, lost), gained), pattern);
    const auto copies = findCopies(tokens, pattern);
    ASSERT_EQ(copies.size(), 4U);
    EXPECT_EQ(copies[1].end - copies[1].first, 9U);
    EXPECT_EQ(copies[2].end - copies[2].first, 11U);
    EXPECT_EQ(copies[3].first, 30U);
}

TEST(FindCopies, LeavesOutWhatLiesBetween)
{
    const Tokens pattern{1, 2, 3, 4};
    const Tokens tokens =
        join(join({3, 4}, repeat(pattern, 2)), join({1, 1, 1, 1, 7}, join(pattern, {1, 2})));
    const auto copies = findCopies(tokens, pattern);
    ASSERT_EQ(copies.size(), 3U);
    EXPECT_EQ(copies[0].first, 2U);
    EXPECT_EQ(copies[2].first, 15U);
    EXPECT_TRUE(findCopies(tokens, {}).empty());
    EXPECT_TRUE(findCopies({}, pattern).empty());
}

} // namespace
} // namespace ringside::model
