// SPDX-License-Identifier: Apache-2.0
// The packed column against a std::vector that is treated in the same way.
#include <ringside/trace/column.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>

namespace ringside::trace {
namespace {

constexpr std::size_t kLargest = 3 * kBlockValues;

template <class T>
std::vector<T> contents(const Column<T>& column)
{
    return {column.begin(), column.end()};
}

template <class T>
Column<T> columnOf(const std::vector<T>& values)
{
    Column<T> column;
    column.append(values);
    return column;
}

/// Neighbours differ by up to `spread`.
template <class T>
std::vector<T> someValues(std::size_t count, T base, T spread)
{
    std::mt19937_64 random(count);
    std::uniform_int_distribution<T> distance(0, spread);
    std::vector<T> values(count);
    std::ranges::generate(values, [&] { return static_cast<T>(base + distance(random)); });
    return values;
}

template <class T>
class ColumnOf : public testing::Test {};
using Types = testing::Types<std::int64_t, std::uint64_t, std::int32_t, std::uint32_t>;
TYPED_TEST_SUITE(ColumnOf, Types);

TYPED_TEST(ColumnOf, HoldsValuesOfAnyWidth)
{
    using Limits = std::numeric_limits<TypeParam>;
    for (int bits = 0; bits < Limits::digits; ++bits) {
        const auto spread = static_cast<TypeParam>(Limits::max() >> bits);
        const auto values = someValues<TypeParam>(kLargest + 7, 0, spread);
        EXPECT_EQ(contents(columnOf(values)), values) << bits;
    }
    std::vector<TypeParam> extremes(2 * kBlockValues, Limits::min());
    extremes[5] = Limits::max();
    EXPECT_EQ(contents(columnOf(extremes)), extremes);
}

TYPED_TEST(ColumnOf, GrowsFromPiecesOfAnySize)
{
    std::vector<TypeParam> expected;
    Column<TypeParam> column;
    for (const std::size_t count :
         {std::size_t{1}, kBlockValues - 1, kBlockValues, std::size_t{0}, kLargest + 3}) {
        const auto values = someValues<TypeParam>(count, 100, 50);
        column.append(values);
        expected.insert(expected.end(), values.begin(), values.end());
        column.append(count, TypeParam{7});
        expected.insert(expected.end(), count, TypeParam{7});
        column.push_back(9);
        expected.push_back(9);
        Column<TypeParam> piece = columnOf(values);
        column.append(std::move(piece));
        expected.insert(expected.end(), values.begin(), values.end());
        ASSERT_EQ(contents(column), expected) << count;
        EXPECT_EQ(column.size(), expected.size());
        EXPECT_EQ(column.back(), expected.back());
    }
}

TYPED_TEST(ColumnOf, IsCutAnywhere)
{
    const auto values = someValues<TypeParam>(kLargest + 5, 3, 90);
    for (const std::size_t size :
         {kLargest + 5, kLargest + 1, kLargest, kLargest - 1, kBlockValues, std::size_t{0}}) {
        Column<TypeParam> column = columnOf(values);
        column.truncate(size);
        column.push_back(1);
        std::vector<TypeParam> expected(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(size));
        expected.push_back(1);
        EXPECT_EQ(contents(column), expected) << size;
    }
}

TYPED_TEST(ColumnOf, ChangesValuesWithoutTouchingItsCopies)
{
    auto values = someValues<TypeParam>(kLargest + 5, 3, 90);
    const Column<TypeParam> original = columnOf(values);
    Column<TypeParam> column = original;
    column.set(4, std::numeric_limits<TypeParam>::max() - 100);
    column.set(kLargest + 1, 0);
    column.shift(2);
    column.transform([](TypeParam value) { return static_cast<TypeParam>(value + 5); });
    EXPECT_EQ(contents(original), values);
    values[4] = std::numeric_limits<TypeParam>::max() - 100;
    values[kLargest + 1] = 0;
    std::ranges::for_each(values, [](TypeParam& value) { value = static_cast<TypeParam>(value + 7); });
    EXPECT_EQ(contents(column), values);
    EXPECT_NE(column, original);
}

TEST(Column, IsReadByTheAlgorithms)
{
    const Column<std::int64_t> column = {5, -3, 9};
    EXPECT_EQ(*std::ranges::max_element(column), 9);
    EXPECT_EQ(std::ranges::find(column, -3) - column.begin(), 1);
    EXPECT_EQ(column.begin()[2], 9);
    EXPECT_EQ(column.at(0), 5);
    EXPECT_THROW(static_cast<void>(column.at(3)), std::out_of_range);
    static_assert(std::random_access_iterator<Column<std::int64_t>::Iterator>);
}

} // namespace
} // namespace ringside::trace
