// SPDX-License-Identifier: Apache-2.0
// What the sampled tier makes of the kernel's texts, good and bad: what is missing is nothing, never 0.
#include "sampled/cgroup.h"
#include "sampled/host_machine.h"
#include "sampled/host_process.h"
#include "sampled/network.h"
#include "sampled/proc_text.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace {

using namespace ringside::collector::sampled;

constexpr const char* kTooLarge = "18446744073709551616"; // 2^64

std::string processStat(const std::string& name, const std::string& threads, const std::string& resident)
{
    return "7 (" + name + ") S 1 7 7 0 -1 4194304 100 0 3 0 250 50 0 0 20 0 " + threads +
           " 0 12345 1000000 " + resident + " 18446744073709551615 1 1 0 0 0 0\n";
}

TEST(ProcessStat, isFoundBehindAnyName)
{
    for (const char* name : {"python", "a b", ") 9 (", "x) S 1 2 3 4 5", ""}) {
        const auto stat = parseProcessStat(processStat(name, "12", "345"));
        ASSERT_TRUE(stat) << name;
        EXPECT_EQ(stat->threads, 12U);
        EXPECT_EQ(stat->residentPages, 345U);
    }
}

TEST(ProcessStat, isNothingWhenCutOrImpossible)
{
    const std::string whole = processStat("python", "12", "345");
    for (std::size_t size = 0; size < whole.find(" 345"); ++size) {
        EXPECT_FALSE(parseProcessStat(whole.substr(0, size))) << size;
    }
    EXPECT_FALSE(parseProcessStat(processStat("python", "-1", "345")));
    EXPECT_FALSE(parseProcessStat(processStat("python", "12", kTooLarge)));
}

TEST(ThreadSchedule, needsBothTimes)
{
    const auto schedule = parseSchedule("123456789 4242 77\n");
    ASSERT_TRUE(schedule);
    EXPECT_EQ(schedule->cpuNs, 123456789U);
    EXPECT_EQ(schedule->runDelayNs, 4242U);
    for (const char* text : {"", "1", "1 x 3", "x 2 3", "1 -2 3", "1 18446744073709551616 3"}) {
        EXPECT_FALSE(parseSchedule(text)) << text;
    }
}

TEST(CgroupPlace, isTheCpuControllersInVersion1)
{
    const auto place =
        placeOf("9:name=systemd:/other\n2:cpuacct:/wrong\n1:cpu,cpuset:/job/rank3\n0::/unified\n",
                "30 1 0:28 / / rw - ext4 /dev/vda rw\n"
                "33 31 0:30 / /sys/fs/cgroup/cpuacct rw - cgroup cgroup rw,cpuacct\n"
                "32 31 0:29 / /sys/fs/cgroup/cpu rw,relatime shared:9 - cgroup cgroup rw,cpu,cpuset\n"
                "41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n");
    ASSERT_TRUE(place);
    EXPECT_FALSE(place->unified);
    EXPECT_EQ(place->mount, "/sys/fs/cgroup/cpu");
    EXPECT_EQ(place->path, "/job/rank3");
}

TEST(CgroupPlace, isTheOnlyHierarchyInVersion2)
{
    const auto place =
        placeOf("0::/user.slice/job\n", "41 31 0:38 / /sys/fs/cgroup rw shared:4 - cgroup2 cgroup2 rw\n");
    ASSERT_TRUE(place);
    EXPECT_TRUE(place->unified);
    EXPECT_EQ(place->mount + place->path, "/sys/fs/cgroup/user.slice/job");
}

TEST(CgroupPlace, isTheMountItselfInAContainer)
{
    const auto place = placeOf("3:cpu:/docker/abc\n",
                               "32 31 0:29 /docker/abc /sys/fs/cgroup/cpu ro - cgroup cgroup rw,cpu\n");
    ASSERT_TRUE(place);
    EXPECT_EQ(place->mount + place->path, "/sys/fs/cgroup/cpu");
    EXPECT_EQ(placeOf("0::/\n", "41 31 0:38 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n")->path, "");
}

TEST(CgroupPlace, isNothingWithoutController)
{
    EXPECT_FALSE(placeOf("", ""));
    EXPECT_FALSE(placeOf("1:cpu:/job\n", ""));
    EXPECT_FALSE(placeOf("1:cpuset:/job\n", "32 31 0:29 / /c rw - cgroup cgroup rw,cpuset\n"));
    EXPECT_FALSE(placeOf("nonsense\n::\n:\n", "- - -\n\n32 31 0:29\n"));
}

TEST(Throttling, isInMicrosecondsInBothVersions)
{
    const auto first = parseThrottling("nr_periods 10\nnr_throttled 4\nthrottled_time 2500000\n");
    ASSERT_TRUE(first);
    EXPECT_EQ(first->times, 4U);
    EXPECT_EQ(first->us, 2500U);
    const auto second = parseThrottling("usage_usec 5\nnr_periods 10\nnr_throttled 3\nthrottled_usec 700\n");
    ASSERT_TRUE(second);
    EXPECT_EQ(second->times, 3U);
    EXPECT_EQ(second->us, 700U);
    for (const char* text :
         {"", "nr_throttled 4\n", "throttled_usec 4\n", "nr_throttled x\nthrottled_usec 4\n",
          "nr_throttled 4\nthrottled_usec 4", "usage_usec 5\nuser_usec 1\n"}) {
        EXPECT_FALSE(parseThrottling(text)) << text;
    }
}

TEST(CpuTicks, leaveOutGuestsWhichUserTimeHolds)
{
    const auto ticks = parseCpuTicks("cpu  100 20 30 4000 50 6 7 8 99 99\ncpu0 1 2 3\n");
    ASSERT_TRUE(ticks);
    EXPECT_EQ(ticks->busy, 100U + 20 + 30 + 6 + 7);
    EXPECT_EQ(ticks->idle, 4000U);
    EXPECT_EQ(ticks->ioWait, 50U);
    EXPECT_EQ(ticks->stolen, 8U);
    for (const char* text : {"", "cpu", "cpu 1 2 3", "cpu0 1 2 3 4 5 6 7 8", "cpu 1 2 3 4 5 6 x 8"}) {
        EXPECT_FALSE(parseCpuTicks(text)) << text;
    }
}

TEST(Pressure, isTheTotalOfItsLine)
{
    const std::string text =
        "some avg10=1.00 avg60=0.50 avg300=0.10 total=987654\nfull avg10=0.00 total=12\n";
    EXPECT_EQ(parsePressure(text, "some"), 987654U);
    EXPECT_EQ(parsePressure(text, "full"), 12U);
    EXPECT_EQ(parsePressure("some avg10=1.00 total=5\n", "full"), std::nullopt);
    EXPECT_EQ(parsePressure("some avg10=1.00\n", "some"), std::nullopt);
    EXPECT_EQ(parsePressure("some total=" + std::string(kTooLarge) + "\n", "some"), std::nullopt);
    EXPECT_EQ(parsePressure("some total=12", "some"), std::nullopt) << "the line may be cut: 12 of 123";
}

TEST(Load, isExactInHundredths)
{
    const auto load = parseLoad("13.07 12.40 9.21 5/312 4711\n");
    ASSERT_TRUE(load);
    EXPECT_EQ(load->hundredths, 1307U);
    EXPECT_EQ(load->runnable, 5U);
    for (const char* text :
         {"", "13 1 1 1/2 3", "13.0 1 1 1/2 3", "13.07 1 1 12 3", "13.07 1 1 /2 3", "x.07 1 1 1/2"}) {
        EXPECT_FALSE(parseLoad(text)) << text;
    }
}

TEST(Interface, hasItsCountersWhateverItsName)
{
    const auto counters = parseInterface("eth0:0: 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16");
    ASSERT_TRUE(counters);
    EXPECT_EQ(counters->name, "eth0:0");
    EXPECT_EQ(counters->values, (std::array<std::uint64_t, 8>{1, 2, 3, 4, 9, 10, 11, 12}));
    const auto tight = parseInterface("  ib0:18446744073709551615 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16");
    ASSERT_TRUE(tight) << "old kernels write no blank behind the colon";
    EXPECT_EQ(tight->values[0], 18446744073709551615U);
    for (const char* line :
         {"", "eth0", "eth0:", ": 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16", "eth0: 1 2 3 4 5 6 7 8 9 10 11",
          "eth0: 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 18446744073709551616",
          " face |bytes    packets errs drop fifo frame compressed multicast|bytes"}) {
        EXPECT_FALSE(parseInterface(line)) << line;
    }
}

TEST(ProcText, numbersThatDoNotFitAreNothing)
{
    EXPECT_EQ(numberIn("18446744073709551615"), 18446744073709551615U);
    EXPECT_EQ(numberIn(kTooLarge), std::nullopt);
    EXPECT_EQ(numberIn("12kB"), std::nullopt);
    EXPECT_EQ(times(numberIn("18446744073709551615"), 2), std::nullopt);
    EXPECT_EQ(numberOf("MemFree: 1 kB\nMemAvailable:   77 kB\n", "MemAvailable:"), 77U);
    EXPECT_EQ(numberOf("MemAvailable: 77", "MemAvailable:"), std::nullopt) << "the line may be cut";
}

TEST(ProcText, anyBytesDoNoHarm)
{
    std::mt19937 random(1);
    const std::string alphabet("0123456789 \n\t:/.,-()acpu=totalsome\0x", 37);
    for (int round = 0; round < 20'000; ++round) {
        std::string text(random() % 200, ' ');
        for (char& c : text) {
            c = alphabet[random() % alphabet.size()];
        }
        static_cast<void>(parseProcessStat(text));
        static_cast<void>(parseSchedule(text));
        static_cast<void>(placeOf(text, text));
        static_cast<void>(parseThrottling(text));
        static_cast<void>(parseCpuTicks(text));
        static_cast<void>(parsePressure(text, "some"));
        static_cast<void>(parseLoad(text));
        static_cast<void>(parseInterface(text));
    }
}

} // namespace
