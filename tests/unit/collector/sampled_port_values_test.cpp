// SPDX-License-Identifier: Apache-2.0
// Values of RDMA ports: counters that stick, wrap and begin anew, and what rates, PCIe and the MTU are
// called.
#include "host/rdma/counter_track.h"
#include "host/sysfs_text.h"

#include <gtest/gtest.h>

#include <limits>
#include <optional>

namespace {

using namespace ringside::host;

TEST(PortCounter, sticksAtItsLargestValueAndIsNotKnownFromThenOn)
{
    CounterTrack track(8, 1);
    EXPECT_EQ(track.take(254), 254U);
    EXPECT_EQ(track.take(255), 255U) << "it gained 1 at least";
    EXPECT_TRUE(track.arrived());
    EXPECT_EQ(track.take(255), std::nullopt);
    EXPECT_FALSE(track.arrived());
    EXPECT_TRUE(track.saturated());
    EXPECT_EQ(track.take(3), 258U) << "somebody cleared it";
    EXPECT_EQ(track.resets(), 1U);
}

TEST(PortCounter, ofTrafficThatArrivesAtItsEndTellsNoRate)
{
    CounterTrack track(32, 4);
    EXPECT_EQ(track.take(5), 20U);
    EXPECT_EQ(track.take(0xFFFFFFFF), std::nullopt);
}

TEST(PortCounter, thatGoesBeyondItsLimitIsWiderThanThought)
{
    CounterTrack track(32, 4);
    EXPECT_EQ(track.take(0xFFFFFFFF), std::nullopt);
    EXPECT_EQ(track.take(0x100000000), 0x400000000U);
    EXPECT_EQ(track.take(0x1FFFFFFFF), 0x7FFFFFFFCU);
    EXPECT_FALSE(track.saturated());
}

TEST(PortCounter, of32BitsWrapsAndIsNotTakenForOneThatBeganAnew)
{
    CounterTrack track(0, 1);
    EXPECT_EQ(track.take(0xFFFFFFF0), 0xFFFFFFF0U);
    EXPECT_EQ(track.take(0x10), 0x100000010U);
    EXPECT_EQ(track.resets(), 0U);
    EXPECT_EQ(track.take(0x8), 0x100000018U) << "from so low it can only have begun anew";
    EXPECT_EQ(track.resets(), 1U);
}

TEST(PortCounter, ofAnyHostileValueIsAValueModulo2To64)
{
    CounterTrack track(32, 4);
    constexpr auto kMost = std::numeric_limits<std::uint64_t>::max();
    EXPECT_EQ(track.take(kMost - 1), kMost - 7);
    EXPECT_EQ(track.take(0), kMost - 7);
    EXPECT_EQ(track.take(kMost), std::nullopt) << "what a device that is gone answers is no count";
    EXPECT_EQ(track.take(2), 0U);
}

TEST(PortText, ratesOfAllGenerations)
{
    struct Case {
        const char* text = "";
        std::uint64_t mbps = 0;
        std::optional<std::uint64_t> lanes;
        const char* generation = "";
    };
    for (const Case& each :
         {Case{"400 Gb/sec (4X NDR)", 400'000, 4, "NDR"}, Case{"2.5 Gb/sec (1X SDR)", 2'500, 1, "SDR"},
          Case{"10 Gb/sec (4X)", 10'000, 4, ""}, Case{"25 Gb/sec (1X EDR)", 25'000, 1, "EDR"},
          Case{"100 Gb/sec", 100'000, {}, ""}}) {
        const auto rate = rateIn(each.text);
        ASSERT_TRUE(rate) << each.text;
        EXPECT_EQ(rate->mbps, each.mbps) << each.text;
        EXPECT_EQ(rate->lanes, each.lanes) << each.text;
        EXPECT_EQ(rate->generation, each.generation) << each.text;
    }
    for (const char* text :
         {"", "fast", "-5 Gb/sec (4X)", "99999999999999999999 Gb/sec", "10 Mb/sec", "10"}) {
        EXPECT_FALSE(rateIn(text)) << text;
    }
}

TEST(PortText, pcieAndMtu)
{
    EXPECT_EQ(pcieMbps("16.0 GT/s PCIe", "16"), 252'061U);
    EXPECT_EQ(pcieMbps("8 GT/s", "8"), 63'015U);
    EXPECT_EQ(pcieMbps("2.5 GT/s PCIe", "1"), 2'000U);
    EXPECT_FALSE(pcieMbps("Unknown", "16"));
    EXPECT_FALSE(pcieMbps("16.0 GT/s PCIe", "0"));
    EXPECT_FALSE(pcieMbps("16.0 GT/s PCIe", "255"));
    EXPECT_EQ(roceMtu(1500), 1024U);
    EXPECT_EQ(roceMtu(4200), 4096U);
    EXPECT_EQ(roceMtu(9000), 4096U);
    EXPECT_EQ(roceMtu(100), std::nullopt);
}

} // namespace
