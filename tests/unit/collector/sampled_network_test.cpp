// SPDX-License-Identifier: Apache-2.0
// Samples of a host's network, its cards and its interfaces, from files and calls that the test provides.
#include "sampled/host_network.h"
#include "sampled/network.h"
#include "sampled/pause.h"
#include "support/temporary_directory.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <set>

namespace {

using namespace ringside::collector::sampled;
using ringside::test::TemporaryDirectory;
namespace fs = std::filesystem;

/// Trees like /sys and /proc.
struct Machine {
    void put(const std::string& file, const std::string& text) const
    {
        fs::create_directories((folder.path() / file).parent_path());
        std::ofstream(folder.path() / file) << text;
    }
    [[nodiscard]] std::string sys() const { return (folder.path() / "sys").string(); }
    [[nodiscard]] std::string proc() const { return (folder.path() / "proc").string(); }
    TemporaryDirectory folder;
};

/// By source and name.
std::map<std::string, std::string> settingsOf(const Readings& readings)
{
    std::map<std::string, std::string> all;
    for (const auto& row : readings.settings()) {
        all[std::string(row.source.text()) + " " + row.name] = row.value;
    }
    return all;
}

TEST(HostNetworkSource, reportsTheNetworkOnceAndCountsFromThenOn)
{
    const Machine machine;
    machine.put("proc/net/snmp", "Tcp: OutSegs RetransSegs\nTcp: 1000 7\n");
    machine.put("proc/net/netstat", "TcpExt: TCPTimeouts TCPDSACKRecvSegs\nTcpExt: 3 2\n");
    machine.put("proc/net/route", "Iface\tDestination\neth0\t00000000\n");
    machine.put("proc/sys/net/ipv4/tcp_rmem", "4096\t131072\t6291456\n");
    machine.put("sys/class/net/eth0/speed", "25000\n");
    machine.put("sys/class/net/eth0/device/numa_node", "-1\n");
    machine.put("sys/module/nvidia_peermem/version", "1\n");
    HostNetwork source(machine.sys(), machine.proc());
    source.open();
    Readings readings;
    source.read(readings, Pace::OnceASecond);
    EXPECT_EQ(settingsOf(readings),
              (std::map<std::string, std::string>{{"network eth0 speed_mbps", "25000"},
                                                  {"network eth0 physical", "yes"},
                                                  {"network eth0 default_route", "yes"},
                                                  {"kernel net.ipv4.tcp_rmem", "4096 131072 6291456"},
                                                  {"machine gpu_direct", "nvidia_peermem"}}));
    ASSERT_EQ(readings.values().size(), 4U);
    EXPECT_STREQ(readings.values()[1].series->metric(), "tcp_segments_sent_again");
    EXPECT_EQ(readings.values()[1].value, 7);
    EXPECT_STREQ(readings.values()[2].series->metric(), "tcp_segments_sent_again_needlessly");
    EXPECT_EQ(readings.values()[2].value, 2);
    ASSERT_EQ(readings.missing().size(), 1U);
    EXPECT_STREQ(readings.missing()[0]->metric(), "tcp_receive_drops");
    readings.clear();
    source.read(readings, Pace::OnceASecond);
    EXPECT_TRUE(readings.settings().empty());
    source.read(readings, Pace::EveryTick);
    EXPECT_EQ(readings.values().size(), 4U) << "once a second";
}

TEST(HostNetworkSource, hostileFilesAreNothing)
{
    const Machine machine;
    machine.put("proc/net/snmp", std::string(100'000, 'T'));
    machine.put("proc/net/netstat", std::string("\0\xff\n", 3));
    machine.put("proc/sys/net/ipv4/tcp_rmem", std::string(10'000, '9'));
    machine.put("proc/driver/nvidia/version", "");
    machine.put("sys/class/net/eth0/speed", "-1\n");
    machine.put("sys/class/net/eth0/operstate", "");
    machine.put("sys/class/net/bonding_masters", "bond0\n");
    HostNetwork source(machine.sys(), machine.proc());
    source.open();
    Readings readings;
    source.read(readings, Pace::OnceASecond);
    EXPECT_TRUE(readings.values().empty());
    EXPECT_EQ(settingsOf(readings), (std::map<std::string, std::string>{{"network eth0 physical", "no"}}));
}

TEST(HostNetworkSource, missingFactsAreNotReported)
{
    const Machine machine;
    HostNetwork source(machine.sys(), machine.proc());
    source.open();
    Readings readings;
    source.read(readings, Pace::OnceASecond);
    EXPECT_TRUE(readings.settings().empty());
    EXPECT_TRUE(readings.values().empty());
    EXPECT_EQ(readings.missing().size(), 5U);
}

TEST(PauseSource, queriesCardsSometimesAndThoseThatRefuseOnce)
{
    const Machine machine;
    for (const char* const card : {"eth0", "eth1", "eth2"}) {
        machine.put("sys/class/net/" + std::string(card) + "/device/vendor", "0x15b3\n");
    }
    machine.put("sys/class/net/br0/operstate", "up\n"); // nothing behind it
    std::map<std::string, int> asked;
    Pause source(
        machine.sys(),
        [&asked](const std::string& interface, int& error) {
            ++asked[interface];
            error = interface == "eth1" ? EPERM : 0;
            return interface == "eth0" ? CardCounters{{"rx_prio3_pause", 40}} : CardCounters{};
        },
        [](const std::string& interface) {
            return interface == "eth0" ? std::optional<std::uint8_t>(0x28) : std::nullopt;
        });
    source.open();
    Readings readings;
    constexpr int kSeconds = 25;
    for (int second = 0; second < kSeconds; ++second) {
        source.read(readings, Pace::OnceASecond);
        source.read(readings, Pace::EveryTick);
    }
    EXPECT_EQ(asked, (std::map<std::string, int>{{"eth0", 3}, {"eth1", 1}, {"eth2", 1}}));
    ASSERT_EQ(readings.settings().size(), 1U) << "once";
    EXPECT_EQ(settingsOf(readings).at("network eth0 pfc_priorities"), "3,5");
    ASSERT_EQ(readings.values().size(), 3U);
    EXPECT_EQ(readings.values()[0].series->entity, "eth0");
    EXPECT_STREQ(readings.values()[0].series->metric(), "rx_pauses");
    ASSERT_EQ(readings.missing().size(), 2U);
    EXPECT_EQ(readings.missing()[0]->reason, "Operation not permitted");
}

TEST(PauseSource, aCardThatIsGoneGivesNothing)
{
    int error = 0;
    EXPECT_TRUE(readCard("no such card", error).empty());
    EXPECT_EQ(error, ENODEV);
    EXPECT_TRUE(readCard(std::string(1000, 'x'), error).empty());
}

class NetworkFiles : public testing::Test {
protected:
    void interface(const std::string& name, const std::string& state)
    {
        fs::create_directories(m_folder.path() / name);
        std::ofstream(m_folder.path() / name / "operstate") << state << "\n";
    }
    /// Names with their received bytes; `tail` ends the file.
    void counters(const std::vector<std::pair<std::string, std::string>>& lines, const std::string& tail = "")
    {
        std::ofstream file(m_folder.path() / "dev");
        file << "Inter-|   Receive  |  Transmit\n face |bytes    packets |bytes\n";
        for (const auto& [name, bytes] : lines) {
            file << name << ": " << bytes << " 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16\n";
        }
        file << tail;
    }
    /// Names of the interfaces that gave values.
    std::set<std::string> read(Network& network, Pace pace)
    {
        m_readings.clear();
        network.read(m_readings, pace);
        std::set<std::string> names;
        for (const auto& value : m_readings.values()) {
            names.insert(value.series->entity);
        }
        return names;
    }
    [[nodiscard]] Network network() const
    {
        return Network((m_folder.path() / "dev").string(), m_folder.path().string());
    }

    TemporaryDirectory m_folder;
    Readings m_readings;
};

using Names = std::set<std::string>;

TEST_F(NetworkFiles, ofInterfacesThatAreUpAreRead)
{
    interface("eth0", "up");
    interface("eth1", "down");
    interface("tun0", "unknown");
    counters({{"lo", "1"}, {"eth0", "18446744073709551615"}, {"eth1", "3"}, {"tun0", "4"}});
    Network source = network();
    source.open();
    EXPECT_EQ(read(source, Pace::OnceASecond), (Names{"eth0", "tun0"}));
    EXPECT_EQ(m_readings.values().size(), 2U * 8);
    EXPECT_STREQ(m_readings.values()[0].series->metric(), "rx_bytes");
    EXPECT_EQ(m_readings.values()[0].value, -1) << "2^64 - 1, modulo 2^64";
    EXPECT_EQ(m_readings.values()[4].value, 9) << "tx_bytes";
    EXPECT_TRUE(source.reason().empty());
}

TEST_F(NetworkFiles, theLoopbackCountsWhereItIsAlone)
{
    interface("eth0", "down");
    counters({{"lo", "1"}, {"eth0", "2"}});
    Network source = network();
    source.open();
    EXPECT_EQ(read(source, Pace::OnceASecond), Names{"lo"});
}

TEST_F(NetworkFiles, interfacesComeAndGo)
{
    interface("eth0", "up");
    counters({{"lo", "1"}, {"eth0", "2"}});
    Network source = network();
    source.open();
    EXPECT_EQ(read(source, Pace::OnceASecond), Names{"eth0"});
    interface("eth7", "up");
    counters({{"lo", "1"}, {"eth7", "2"}});
    EXPECT_EQ(read(source, Pace::EveryTick), Names{}) << "a new one is looked at once a second";
    EXPECT_EQ(read(source, Pace::OnceASecond), Names{"eth7"});
    counters({{"eth0", "3"}, {"eth7", "2"}});
    EXPECT_EQ(read(source, Pace::OnceASecond), (Names{"eth0", "eth7"}));
}

TEST_F(NetworkFiles, theRateIsTheDriversOrNullIfItReportsNone)
{
    for (const char* name : {"eth0", "eth1", "eth2"}) {
        interface(name, "up");
    }
    std::ofstream(m_folder.path() / "eth0" / "speed") << "25000\n";
    std::ofstream(m_folder.path() / "eth1" / "speed") << "-1\n";
    counters({{"eth0", "1"}, {"eth1", "2"}, {"eth2", "3"}});
    Network source = network();
    source.open();
    read(source, Pace::OnceASecond);
    EXPECT_EQ(std::ranges::count_if(m_readings.values(),
                                    [](const auto& each) {
                                        return each.series->entity == "eth0" &&
                                               each.series->metric() == std::string("rate_mbps") &&
                                               each.value == 25000;
                                    }),
              1);
    EXPECT_EQ(m_readings.values().size(), 3U * 8 + 1);
    EXPECT_EQ(m_readings.missing().size(), 2U) << "said of those that tell none";
}

TEST_F(NetworkFiles, aLineThatIsCutIsLeftOut)
{
    interface("eth0", "up");
    interface("eth1", "up");
    counters({{"eth0", "2"}}, "eth1: 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 1");
    Network source = network();
    source.open();
    EXPECT_EQ(read(source, Pace::OnceASecond), Names{"eth0"});
}

TEST_F(NetworkFiles, ofAContainerHostAreNotAllRead)
{
    std::vector<std::pair<std::string, std::string>> lines;
    for (int i = 0; i < 60; ++i) {
        lines.emplace_back("veth" + std::to_string(i), "1");
        interface(lines.back().first, "up");
    }
    counters(lines);
    Network source = network();
    source.open();
    EXPECT_EQ(read(source, Pace::OnceASecond).size(), 32U);
    ASSERT_EQ(m_readings.issues().size(), 1U);
    EXPECT_EQ(m_readings.issues()[0].id, "interfaces_not_sampled");
    read(source, Pace::OnceASecond);
    EXPECT_TRUE(m_readings.issues().empty()) << "said once";
}

TEST_F(NetworkFiles, thatAreMissingAreTheReason)
{
    Network source = network();
    source.open();
    EXPECT_NE(source.reason().find("No such file"), std::string::npos) << source.reason();
    EXPECT_EQ(read(source, Pace::OnceASecond), Names{});
}

} // namespace
