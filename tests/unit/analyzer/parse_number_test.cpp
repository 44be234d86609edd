// SPDX-License-Identifier: Apache-2.0
#include "values/parse_share.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace ringside::trace {
namespace {

TEST(ParseNumber, takesWholeTextsOnly)
{
    EXPECT_EQ(values::parseNumber<std::int64_t>("-12"), -12);
    EXPECT_EQ(values::parseNumber<std::uint8_t>("255"), 255);
    EXPECT_EQ(values::parseNumber<double>("2.5e3"), 2500.0);
    EXPECT_EQ(values::parseNumber<std::uint64_t>("ff", 16), 255U);
    for (const char* text : {"", " 1", "1 ", "+1", "1x", "x", "0x10", "1.5", "--1"}) {
        EXPECT_EQ(values::parseNumber<std::int64_t>(text), std::nullopt) << text;
    }
    EXPECT_EQ(values::parseNumber<std::uint8_t>("256"), std::nullopt);
    EXPECT_EQ(values::parseNumber<std::uint64_t>("-1"), std::nullopt);
    for (const char* text : {"nan", "inf", "-inf", "1e999"}) {
        EXPECT_EQ(values::parseNumber<double>(text), std::nullopt) << text;
    }
}

TEST(ParseNumber, takesTheNumberAtTheBegin)
{
    std::string_view text = "16x";
    EXPECT_EQ(values::takeNumber<int>(text), 16);
    EXPECT_EQ(text, "x");
    EXPECT_EQ(values::takeNumber<int>(text), std::nullopt);
    EXPECT_EQ(text, "x") << "stays where there is no number";
}

TEST(ParseShare, takesPercentWithTheirSign)
{
    EXPECT_EQ(values::parseShare("0.25"), 0.25);
    EXPECT_EQ(values::parseShare("25%"), 0.25);
    EXPECT_EQ(values::parseShare("25 %"), 0.25);
    EXPECT_EQ(values::parsePercent("25"), 25.0);
    EXPECT_EQ(values::parsePercent("25 %"), 25.0);
    for (const char* text : {"", "%", "25%%", "25 % x", "x25", "25 percent"}) {
        EXPECT_EQ(values::parseShare(text), std::nullopt) << text;
        EXPECT_EQ(values::parsePercent(text), std::nullopt) << text;
    }
}

TEST(Trimmed, losesTheSpacesAroundIt)
{
    EXPECT_EQ(values::trimmed(" \ta b\r\n"), "a b");
    EXPECT_EQ(values::trimmed(" \n"), "");
    EXPECT_EQ(values::trimmed(""), "");
}

} // namespace
} // namespace ringside::trace
