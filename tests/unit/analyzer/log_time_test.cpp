// SPDX-License-Identifier: Apache-2.0
// The time stamps that loggers of programs write. Those of the kernel are read in its log's tests.
#include "values/log_time.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <ctime>

namespace ringside::test {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kAt = 1'795'860'249 * kSecond;      ///< 2026-11-28 10:04:09 in UTC
constexpr std::int64_t kWritten = 1'798'765'200 * kSecond; ///< 2027-01-01 01:00

class LogTime : public testing::Test {
protected:
    LogTime()
    {
        setenv("TZ", "UTC", 1);
        tzset();
    }
};

TEST_F(LogTime, IsReadInTheFormsThatLogsUse)
{
    for (const char* const line :
         {"2026-11-28 10:04:09 x", "2026-11-28T10:04:09Z x", "2026-11-28T08:34:09-01:30 x",
          "[rank1]:[E1128 10:04:09 x.cpp:1] x", "Nov 28 10:04:09 node kernel: x",
          "[Sat Nov 28 10:04:09 2026] x", "  time      : 2026-11-28_10:04:09", "x: 2026-11-28 10:04:09"}) {
        const auto stamp = values::stampIn(line, kWritten);
        ASSERT_TRUE(stamp) << line;
        EXPECT_EQ(stamp->realtimeNs, kAt) << line;
        EXPECT_EQ(stamp->resolutionNs, kSecond) << line;
    }
    const auto fine = values::stampIn("2026-11-28 10:04:09,25 x", kWritten);
    ASSERT_TRUE(fine);
    EXPECT_EQ(fine->realtimeNs, kAt + kSecond / 4);
    EXPECT_EQ(fine->resolutionNs, kSecond / 100);
}

TEST_F(LogTime, WithoutAYearIsOfTheLastOne)
{
    constexpr std::int64_t kNewYear = 1'798'761'600 * kSecond;
    EXPECT_EQ(values::stampIn("[E1231 23:59:58 x", kWritten)->realtimeNs, kNewYear - 2 * kSecond);
    EXPECT_EQ(values::stampIn("[E0101 00:00:01 x", kWritten)->realtimeNs, kNewYear + kSecond);
    EXPECT_EQ(values::stampIn("[Sat Nov 28 10:04:09 2020] x", kWritten)->realtimeNs, 1'606'557'849 * kSecond);
}

TEST_F(LogTime, IsNoneInOtherTexts)
{
    for (const char* const line :
         {"", ":", "1:2:3", "99:99:99:99", "x 10:04:09 y", "2026-13-28 10:04:09", "E9999 10:04:09",
          "Foo 28 10:04:09", "::::::::::::::", "12:", "2026-11-28 10:4:09", "2026-11-28 a0:04:09",
          "2026-11-28 10:04", "2026-11-28 10:04:"}) {
        EXPECT_FALSE(values::stampIn(line, kWritten)) << line;
    }
}

} // namespace
} // namespace ringside::test
