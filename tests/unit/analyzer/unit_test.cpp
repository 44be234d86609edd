// SPDX-License-Identifier: Apache-2.0
#include "values/text.h"
#include "values/unit.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace ringside::values {
namespace {

TEST(Unit, isSaidBesideTheValue)
{
    EXPECT_EQ(valueText(Unit::Share, 0.123), "12.3 %");
    EXPECT_EQ(valueText(Unit::Ns, 4'560'000), "4.56 ms");
    EXPECT_EQ(valueText(Unit::Bytes, 512 * 1024), "512.0 KiB");
    EXPECT_EQ(valueText(Unit::GigabytesPerSecond, 12.345), "12.35 GB/s");
    EXPECT_EQ(valueText(Unit::GigabitsPerSecond, 100), "100 Gb/s");
    EXPECT_EQ(valueText(Unit::PerMinute, 90), "90 a minute");
    EXPECT_EQ(valueText(Unit::Celsius, 5), "5 degrees Celsius");
}

TEST(Unit, smallRatiosKeepTheirDigits)
{
    EXPECT_EQ(valueText(Unit::Ratio, 1.5), "1.50");
    EXPECT_EQ(valueText(Unit::Ratio, 2e-12), "2e-12");
    EXPECT_EQ(valueText(Unit::Ratio, 0), "0.00");
}

TEST(Bytes, haveTheUnitThatFits)
{
    constexpr double kMebibyte = 1048576;
    EXPECT_EQ(byteText(0), "0 B");
    EXPECT_EQ(byteText(1023), "1023 B");
    EXPECT_EQ(byteText(1024), "1.0 KiB");
    EXPECT_EQ(byteText(1.5 * kMebibyte), "1.50 MiB");
    EXPECT_EQ(byteText(80 * 1024 * kMebibyte), "80.00 GiB");
    EXPECT_EQ(byteText(2.5e6 * kMebibyte), "2.38 TiB");
}

} // namespace
} // namespace ringside::values
