// SPDX-License-Identifier: Apache-2.0
// Parsing of the kernel's texts, valid and invalid: missing values are null, never 0.
#include "host/cgroup.h"
#include "host/netlink/dcb.h"
#include "host/proc_text.h"
#include "host/process.h"
#include "sampled/cgroup.h"
#include "sampled/host_machine.h"
#include "sampled/host_network.h"
#include "sampled/host_process.h"
#include "sampled/network.h"
#include "sampled/pause.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <random>
#include <string>

namespace {

using namespace ringside::collector::sampled;
using ringside::trace::SeriesName;
namespace host = ringside::host;

constexpr const char* kTooLarge = "18446744073709551616"; // 2^64

std::string processStat(const std::string& name, const std::string& threads, const std::string& resident)
{
    return "7 (" + name + ") S 1 7 7 0 -1 4194304 100 0 3 0 250 50 0 0 20 0 " + threads +
           " 0 12345 1000000 " + resident + " 18446744073709551615 1 1 0 0 0 0\n";
}

TEST(ProcessStat, isFoundBehindAnyName)
{
    for (const char* name : {"python", "a b", ") 9 (", "x) S 1 2 3 4 5", ""}) {
        const auto stat = host::parseProcessStat(processStat(name, "12", "345"));
        ASSERT_TRUE(stat) << name;
        EXPECT_EQ(stat->parent, 1U);
        EXPECT_EQ(stat->threads, 12U);
        EXPECT_EQ(stat->residentPages, 345U);
    }
}

TEST(ProcessStat, ofThisProcessIsRead)
{
    const auto stat = host::processStat("self");
    ASSERT_TRUE(stat);
    EXPECT_EQ(stat->state, 'R');
    EXPECT_EQ(stat->parent, static_cast<std::uint64_t>(getppid()));
    EXPECT_EQ(host::ownIdOf("self"), static_cast<std::uint32_t>(getpid()));
    EXPECT_GE(stat->threads, 1U);
    EXPECT_GT(stat->residentPages, 0U);
    EXPECT_EQ(stat->waitStatus, 0);
    EXPECT_EQ(stat->startTicks, host::ownStartTicks());
    EXPECT_FALSE(host::processStat("0"));
}

TEST(ProcessStat, isNothingWhenCutOrImpossible)
{
    const std::string whole = processStat("python", "12", "345");
    for (std::size_t size = 0; size < whole.find(" 345"); ++size) {
        EXPECT_FALSE(host::parseProcessStat(whole.substr(0, size))) << size;
    }
    EXPECT_FALSE(host::parseProcessStat(processStat("python", "-1", "345")));
    EXPECT_FALSE(host::parseProcessStat(processStat("python", "12", kTooLarge)));
}

constexpr const char* kSnmp = "Ip: Forwarding DefaultTTL\nIp: 1 64\nTcp: RtoMin OutSegs RetransSegs\n"
                              "Tcp: 200 18446744073709551615 7\n";

TEST(TcpStatistic, isFoundByTheNameAboveIt)
{
    EXPECT_EQ(parseStatistic(kSnmp, "Tcp:", "OutSegs"), 18446744073709551615U);
    EXPECT_EQ(parseStatistic(kSnmp, "Tcp:", "RetransSegs"), 7U);
    EXPECT_EQ(parseStatistic(kSnmp, "Ip:", "DefaultTTL"), 64U);
}

TEST(TcpStatistic, isNothingWhereNamesAndValuesDoNotMatch)
{
    EXPECT_EQ(parseStatistic(kSnmp, "Tcp:", "InErrs"), std::nullopt);
    EXPECT_EQ(parseStatistic(kSnmp, "TcpExt:", "OutSegs"), std::nullopt);
    for (const char* text :
         {"", "Tcp: OutSegs\n", "Tcp: OutSegs\nUdp: 7\n", "Tcp: OutSegs\nTcp:\n", "Tcp: OutSegs\nTcp: -7\n",
          "Tcp: OutSegs\nTcp: 7", "Tcp: OutSegs\nTcp: 18446744073709551616\n"}) {
        EXPECT_EQ(parseStatistic(text, "Tcp:", "OutSegs"), std::nullopt) << text;
    }
}

TEST(PauseCounters, ofAllPrioritiesAreAddedUpWhateverADriverCallsThem)
{
    const auto mlx5 = pauseCounters({{"rx_prio0_pause", 1},
                                     {"rx_prio3_pause", 4},
                                     {"rx_prio3_pause_duration", 90},
                                     {"tx_prio3_pause", 2},
                                     {"rx_prio3_packets", 1000},
                                     {"rx_discards_phy", 5},
                                     {"rx_prio3_pause_transition", 50},
                                     {"tx_pause_storm_error_events", 6}});
    EXPECT_EQ(mlx5, (std::map<SeriesName, std::uint64_t>{{SeriesName::RxPauses, 5},
                                                         {SeriesName::TxPauses, 2},
                                                         {SeriesName::RxPauseTime, 90},
                                                         {SeriesName::RxDiscards, 5},
                                                         {SeriesName::PauseStorms, 6}}));
    EXPECT_EQ(pauseCounters({{"rx_pfc_ena_frames_pri3", 7}}).at(SeriesName::RxPauses), 7U) << "bnxt";
    EXPECT_EQ(pauseCounters({{"tx_priority_3_xoff.nic", 8}}).at(SeriesName::TxPauses), 8U) << "ice";
    EXPECT_TRUE(
        pauseCounters({{"rx_prio9_pause", 1}, {"rx_prio_pause", 1}, {"", 1}, {"peer_ifindex", 3}}).empty());
}

/// The kernel's answer to DCB_CMD_IEEE_GET: attribute 13 with attribute 2 in it, whose second byte has a bit
/// a priority.
std::vector<std::byte> pfcAnswer(unsigned priorities)
{
    constexpr std::size_t kAttribute = 4;
    constexpr std::size_t kPfc = 136;
    std::vector<std::byte> answer(16 + 4 + kAttribute + kAttribute + kPfc);
    const auto put = [&answer](std::size_t at, std::size_t value) {
        answer[at] = std::byte(value & 0xFF);
        answer[at + 1] = std::byte(value >> 8);
    };
    put(0, answer.size());
    put(4, 78); // RTM_GETDCB
    put(20, kAttribute + kAttribute + kPfc);
    put(22, 13);
    put(24, kAttribute + kPfc);
    put(26, 2);
    put(29, priorities);
    return answer;
}

TEST(PausedPriorities, areThoseOfTheKernelsAnswer)
{
    EXPECT_EQ(host::parsePriorities(pfcAnswer(0x28)), 0x28);
    EXPECT_EQ(host::prioritiesText(0x28), "3,5");
    EXPECT_EQ(host::prioritiesText(0), "none");
}

TEST(PausedPriorities, areNothingWhereTheAnswerIsCutOrImpossible)
{
    const std::vector<std::byte> whole = pfcAnswer(0x28);
    for (std::size_t size = 0; size < whole.size(); ++size) {
        EXPECT_EQ(host::parsePriorities(std::span(whole).first(size)), std::nullopt) << size;
    }
    for (const std::size_t at :
         {std::size_t{4}, std::size_t{20}, std::size_t{22}, std::size_t{24}, std::size_t{26}}) {
        for (const unsigned value : {0U, 1U, 255U}) {
            std::vector<std::byte> damaged = whole;
            damaged[at] = std::byte(value);
            EXPECT_EQ(host::parsePriorities(damaged), std::nullopt) << at << " " << value;
        }
    }
    EXPECT_EQ(pausedPriorities("no such interface"), std::nullopt);
    EXPECT_EQ(pausedPriorities("lo"), std::nullopt) << "it has none";
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
    const auto place = host::cgroupPlaceIn(
        "9:name=systemd:/other\n2:cpuacct:/wrong\n1:cpu,cpuset:/job/rank3\n0::/unified\n",
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
    const auto place = host::cgroupPlaceIn("0::/user.slice/job\n",
                                           "41 31 0:38 / /sys/fs/cgroup rw shared:4 - cgroup2 cgroup2 rw\n");
    ASSERT_TRUE(place);
    EXPECT_TRUE(place->unified);
    EXPECT_EQ(place->mount + place->path, "/sys/fs/cgroup/user.slice/job");
}

TEST(CgroupPlace, isTheMountItselfInAContainer)
{
    const auto place = host::cgroupPlaceIn(
        "3:cpu:/docker/abc\n", "32 31 0:29 /docker/abc /sys/fs/cgroup/cpu ro - cgroup cgroup rw,cpu\n");
    ASSERT_TRUE(place);
    EXPECT_EQ(place->mount + place->path, "/sys/fs/cgroup/cpu");
    EXPECT_EQ(host::cgroupPlaceIn("0::/\n", "41 31 0:38 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n")->path,
              "");
}

TEST(CgroupPlace, isThatOfAnotherControllerIfThatIsAsked)
{
    const auto place = host::cgroupPlaceIn("2:memory:/job\n1:cpu:/other\n",
                                           "32 31 0:29 / /c/cpu rw - cgroup cgroup rw,cpu\n"
                                           "33 31 0:30 / /c/memory rw - cgroup cgroup rw,memory\n",
                                           "memory");
    ASSERT_TRUE(place);
    EXPECT_EQ(place->mount + place->path, "/c/memory/job");
}

TEST(CgroupPlace, isNothingWithoutController)
{
    EXPECT_FALSE(host::cgroupPlaceIn("", ""));
    EXPECT_FALSE(host::cgroupPlaceIn("1:cpu:/job\n", ""));
    EXPECT_FALSE(host::cgroupPlaceIn("1:cpuset:/job\n", "32 31 0:29 / /c rw - cgroup cgroup rw,cpuset\n"));
    EXPECT_FALSE(host::cgroupPlaceIn("nonsense\n::\n:\n", "- - -\n\n32 31 0:29\n"));
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
    EXPECT_EQ(host::numberIn("18446744073709551615"), 18446744073709551615U);
    EXPECT_EQ(host::numberIn(kTooLarge), std::nullopt);
    EXPECT_EQ(host::numberIn("12kB"), std::nullopt);
    EXPECT_EQ(host::times(host::numberIn("18446744073709551615"), 2), std::nullopt);
    EXPECT_EQ(host::numberOf("MemFree: 1 kB\nMemAvailable:   77 kB\n", "MemAvailable:"), 77U);
    EXPECT_EQ(host::numberOf("MemAvailable: 77", "MemAvailable:"), std::nullopt) << "the line may be cut";
}

TEST(ProcText, anyBytesDoNoHarm)
{
    std::mt19937 random(1);
    using namespace std::string_literals;
    const std::string alphabet = "0123456789 \n\t:/.,-()acpu=totalsome\0x"s;
    for (int round = 0; round < 20'000; ++round) {
        std::string text(random() % 200, ' ');
        for (char& c : text) {
            c = alphabet[random() % alphabet.size()];
        }
        static_cast<void>(host::parseProcessStat(text));
        static_cast<void>(parseSchedule(text));
        static_cast<void>(host::cgroupPlaceIn(text, text));
        static_cast<void>(parseThrottling(text));
        static_cast<void>(parseCpuTicks(text));
        static_cast<void>(parsePressure(text, "some"));
        static_cast<void>(parseLoad(text));
        static_cast<void>(parseInterface(text));
    }
}

} // namespace
