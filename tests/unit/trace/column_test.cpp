// SPDX-License-Identifier: Apache-2.0
#include <ringside/trace/column.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>

namespace ringside::trace {
namespace {

TEST(Column, MakesZerosHoweverTheMemoryWasUsedBefore)
{
    for (std::size_t count = 1; count < 1'000'000; count *= 10) {
        for (int again = 0; again < 3; ++again) { // memory that was freed comes back
            Column<std::int64_t> column;
            column.resize(count);
            EXPECT_EQ(std::count(column.begin(), column.end(), 0), static_cast<std::ptrdiff_t>(count));
            std::fill(column.begin(), column.end(), -1);
        }
    }
}

TEST(Column, KeepsWhatIsAddedWhileItGrows)
{
    Column<std::uint32_t> column;
    for (std::uint32_t i = 0; i < 100'000; ++i) {
        column.push_back(i);
    }
    column.resize(100'010);
    for (std::uint32_t i = 0; i < 100'010; ++i) {
        ASSERT_EQ(column[i], i < 100'000 ? i : 0);
    }
}

TEST(Column, RefusesASizeThatOverflows)
{
    EXPECT_THROW(Column<std::int64_t>(~std::size_t{0} / 16), std::bad_alloc);
}

} // namespace
} // namespace ringside::trace
