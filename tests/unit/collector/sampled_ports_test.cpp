// SPDX-License-Identifier: Apache-2.0
// RDMA ports on trees of the test's own making: drivers' words for the same thing, what is not there, what
// refuses, what a stranger may put into such files, and the collector's source that reads them.
#include "sampled/rdma.h"
#include "sampled_port_reading.h"

#include <gtest/gtest.h>

namespace {

using namespace ringside::host;
using namespace ringside::test;
namespace collector = ringside::collector::sampled;

TEST(RdmaPort, ofInfinibandCountsWordsOfFourBytes)
{
    const PortTree tree;
    tree.add("mlx5_0");
    tree.write("mlx5_0", "counters/port_xmit_data", "1000");
    tree.write("mlx5_0", "counters/port_rcv_packets", "7");
    tree.write("mlx5_0", "hw_counters/local_ack_timeout_err", "12821");
    tree.write("mlx5_0", "hw_counters/packet_seq_err", "3");
    tree.write("mlx5_0", "hw_counters/implied_nak_seq_err", "4");
    PortTree::put(tree.device("mlx5_0") / "fw_ver", "20.36.1010");
    const Port port = read(tree, "mlx5_0");
    EXPECT_EQ(port.name(), "mlx5_0:1");
    EXPECT_EQ(valueOf(port, "tx_bytes"), 4000U);
    EXPECT_EQ(valueOf(port, "rx_packets"), 7U);
    EXPECT_EQ(valueOf(port, "ack_timeouts"), 12821U);
    EXPECT_EQ(valueOf(port, "retransmissions"), 7U) << "both kinds";
    EXPECT_EQ(valueOf(port, "state"), 4U);
    EXPECT_EQ(valueOf(port, "physical_state"), 5U);
    EXPECT_EQ(valueOf(port, "rate_mbps"), 200'000U);
    EXPECT_EQ(valueOf(port, "lanes"), 4U);
    EXPECT_EQ(port.facts().at("generation"), "HDR");
    EXPECT_EQ(port.facts().at("firmware"), "20.36.1010");
    EXPECT_EQ(find(port, "rx_bytes"), nullptr) << "no such file: not 0";
    EXPECT_EQ(find(port, "mtu_bytes"), nullptr) << "sysfs does not tell it of InfiniBand";
}

TEST(RdmaPort, ofEachDriverSpeaksTheSameWords)
{
    struct Case {
        const char* driver;
        const char* file;
        const char* metric;
    };
    for (const Case& each :
         {Case{"mlx5", "local_ack_timeout_err", "ack_timeouts"}, Case{"mlx4", "sq_num_to", "ack_timeouts"},
          Case{"bnxt_re", "to_retransmits", "ack_timeouts"},
          Case{"efa", "retrans_timeout_events", "ack_timeouts"},
          Case{"irdma", "tcpRetransSegs", "retransmissions"}, Case{"irdma", "RNR received", "rnr_naks"},
          Case{"mana", "requester_timeout", "ack_timeouts"}, Case{"hns", "rx_err_pkt", "rx_errors"},
          Case{"erdma", "tx_bps_limit_drop_cnt", "limit_drops"},
          Case{"efa", "impaired_remote_conn_events", "impaired_connections"},
          Case{"hfi1", "RcTimeOut", "ack_timeouts"}, Case{"rxe", "rcvd_seq_err", "retransmissions"},
          Case{"rxe", "sent_pkts", "tx_packets"}, Case{"efa", "tx_bytes", "tx_bytes"},
          Case{"irdma", "ip4OutOctets", "tx_bytes"}}) {
        const PortTree tree;
        tree.add("dev0");
        tree.write("dev0", std::string("hw_counters/") + each.file, "42");
        EXPECT_EQ(valueOf(read(tree, "dev0"), each.metric), 42U) << each.driver;
    }
}

TEST(RdmaPort, withoutManagementCountersReportsItAndUsesTheDrivers)
{
    const PortTree tree;
    tree.add("i40iw0", "10 Gb/sec (4X)");
    tree.write("i40iw0", "counters/port_xmit_data", "N/A (no PMA)");
    tree.write("i40iw0", "counters/link_downed", "N/A (no PMA)");
    tree.write("i40iw0", "hw_counters/ip4OutOctets", "5000");
    const Port port = read(tree, "i40iw0");
    EXPECT_EQ(valueOf(port, "tx_bytes"), 5000U);
    ASSERT_NE(find(port, "link_downed"), nullptr);
    EXPECT_EQ(find(port, "link_downed")->value, std::nullopt);
    EXPECT_NE(find(port, "link_downed")->reason.find("N/A (no PMA)"), std::string::npos);
    EXPECT_TRUE(port.trouble().empty()) << "that is no trouble";
}

TEST(RdmaPort, whoseTrafficCountersStickIsNotIdle)
{
    const PortTree tree;
    tree.add("qib0", "40 Gb/sec (4X QDR)");
    tree.write("qib0", "counters/port_xmit_data", "4294967295");
    const Port port = read(tree, "qib0");
    ASSERT_NE(find(port, "tx_bytes"), nullptr);
    EXPECT_EQ(find(port, "tx_bytes")->value, std::nullopt);
    EXPECT_NE(find(port, "tx_bytes")->reason.find("largest value"), std::string::npos);
}

TEST(RdmaPort, overEthernetReportsItsAddressesAndMtu)
{
    const PortTree tree;
    tree.add("mlx5_0", "25 Gb/sec (1X EDR)", "Ethernet");
    tree.write("mlx5_0", "gid_attrs/ndevs/0", "eth01");
    tree.write("mlx5_0", "gids/0", "fe80:0000:0000:0000:0e42:a1ff:fe40:29a0");
    tree.write("mlx5_0", "gid_attrs/types/0", "RoCE v2");
    PortTree::put(tree.root() + "/class/net/eth01/mtu", "1500");
    Port port = read(tree, "mlx5_0");
    EXPECT_EQ(port.facts().at("gids"), "RoCE v2, link-local only");
    EXPECT_EQ(port.facts().at("netdev"), "eth01");
    EXPECT_EQ(valueOf(port, "mtu_bytes"), 1024U);
    tree.write("mlx5_0", "gids/1", "0000:0000:0000:0000:0000:ffff:0a00:0001");
    tree.write("mlx5_0", "gid_attrs/types/1", "RoCE v2");
    const Port routable = read(tree, "mlx5_0");
    EXPECT_EQ(routable.facts().at("gids"), "RoCE v2, routable");
    EXPECT_EQ(routable.facts().at("gid_table"), "0 v2 link-local, 1 v2 IPv4");
    for (const auto& [name, value] : routable.facts()) {
        EXPECT_EQ(value.find("ffff"), std::string::npos)
            << "addresses are nobody's business: " << name.text();
    }
}

TEST(RdmaPort, withoutAddressesHasNoKindsOfAddresses)
{
    const PortTree tree;
    tree.add("mlx5_0", "25 Gb/sec (1X EDR)", "Ethernet");
    EXPECT_FALSE(read(tree, "mlx5_0").facts().contains("gids"));
}

TEST(RdmaPort, prefersReportedLinksToSysfs)
{
    const PortTree tree;
    tree.add("mlx5_0", "10 Gb/sec (4X SDR)");
    tree.write("mlx5_0", "counters/port_rcv_packets", "7");
    Port port("mlx5_0", 1, tree.root() + "/class/infiniband");
    const LinkState told{1, 2, Rate{800'000, 4, "XDR"}, 2048, 4096, "RoCE v1 only", "0 v1 IPv4"};
    port.read(Depth::All, &told);
    EXPECT_EQ(valueOf(port, "state"), 1U);
    EXPECT_EQ(valueOf(port, "physical_state"), 2U);
    EXPECT_EQ(valueOf(port, "rate_mbps"), 800'000U);
    EXPECT_EQ(valueOf(port, "mtu_bytes"), 2048U);
    EXPECT_EQ(valueOf(port, "mtu_max_bytes"), 4096U);
    EXPECT_EQ(port.facts().at("generation"), "XDR");
    EXPECT_EQ(port.facts().at("gids"), "RoCE v1 only");
    EXPECT_EQ(port.facts().at("gid_table"), "0 v1 IPv4");
    EXPECT_EQ(valueOf(port, "rx_packets"), 7U) << "counters are sysfs's all the same";
    port.read(Depth::Fast);
    EXPECT_EQ(valueOf(port, "state"), 4U) << "nothing told any more";
}

TEST(RdmaPort, ofWhichOneFileFailsLosesThatCounterOnly)
{
    const PortTree tree;
    tree.add("mlx5_0");
    tree.write("mlx5_0", "counters/link_downed", "0");
    tree.write("mlx5_0", "counters/port_xmit_data", "100");
    // Reading a folder fails as restricted firmware does: not for want of the file.
    std::filesystem::create_directories(tree.port("mlx5_0") / "counters/symbol_error");
    const Port port = read(tree, "mlx5_0");
    EXPECT_FALSE(port.leftAlone());
    EXPECT_EQ(valueOf(port, "tx_bytes"), 400U);
    EXPECT_EQ(valueOf(port, "symbol_errors"), std::nullopt);
    EXPECT_NE(find(port, "symbol_errors")->reason.find("symbol_error"), std::string::npos);
}

TEST(RdmaPort, thatRefusesThreeReadingsIsLeftAlone)
{
    const PortTree tree;
    tree.add("mlx5_0");
    const char* const files[] = {"counters/link_downed", "counters/port_rcv_errors", "counters/symbol_error"};
    for (const char* const file : files) {
        tree.write("mlx5_0", file, "0");
    }
    Port port("mlx5_0", 1, tree.root() + "/class/infiniband");
    for (const char* const file : files) {
        std::filesystem::remove(tree.port("mlx5_0") / file);
        std::filesystem::create_directories(tree.port("mlx5_0") / file);
    }
    port.read(Depth::All);
    EXPECT_TRUE(port.leftAlone());
    EXPECT_FALSE(port.trouble().empty());
    for (const char* const file : files) {
        std::filesystem::remove(tree.port("mlx5_0") / file);
        tree.write("mlx5_0", file, "0");
    }
    port.read(Depth::All);
    EXPECT_EQ(valueOf(port, "link_downed"), std::nullopt) << "never again";
    EXPECT_EQ(valueOf(port, "state"), std::nullopt);
}

TEST(RdmaPort, thatDisappearsIsLookedForAgain)
{
    const PortTree tree;
    tree.add("mlx5_0");
    tree.write("mlx5_0", "counters/port_xmit_data", "100");
    Port port = read(tree, "mlx5_0");
    const auto aside = tree.device("aside");
    std::filesystem::rename(tree.device("mlx5_0"), aside);
    port.read(Depth::All);
    EXPECT_EQ(port.trouble(), "it is gone");
    EXPECT_EQ(valueOf(port, "tx_bytes"), std::nullopt);
    EXPECT_FALSE(port.leftAlone());
    std::filesystem::rename(aside, tree.device("mlx5_0"));
    tree.write("mlx5_0", "counters/port_xmit_data", "10");
    port.read(Depth::All);
    EXPECT_EQ(valueOf(port, "tx_bytes"), 440U) << "a driver that was loaded again begins at 0";
    EXPECT_EQ(port.resets(), 1U);
}

TEST(RdmaPort, withHostileFilesGivesNoValueAndNoHarm)
{
    for (const std::string& text :
         {std::string(), std::string("-1"), std::string("0x10"), std::string(100'000, '9'),
          std::string("\0\xff\x80", 3), std::string("99999999999999999999999")}) {
        const PortTree tree;
        tree.add("mlx5_0");
        for (const char* file : {"counters/port_xmit_data", "state", "rate", "phys_state", "link_layer"}) {
            tree.write("mlx5_0", file, text);
        }
        const Port port = read(tree, "mlx5_0");
        for (const Quantity& quantity : port.quantities()) {
            EXPECT_EQ(quantity.value, std::nullopt) << quantity.metric << " of " << text.substr(0, 10);
            EXPECT_LT(quantity.reason.size(), 600U);
        }
    }
}

TEST(RdmaPort, readsItsRateAgainWhenItsStateMoves)
{
    const PortTree tree;
    tree.add("mlx5_0");
    Port port = read(tree, "mlx5_0");
    port.read(Depth::Fast);
    EXPECT_EQ(valueOf(port, "state"), 4U);
    EXPECT_EQ(valueOf(port, "rate_mbps"), std::nullopt) << "what was read holds on";
    EXPECT_TRUE(find(port, "rate_mbps")->reason.empty());
    tree.write("mlx5_0", "state", "1: DOWN");
    tree.write("mlx5_0", "phys_state", "2: Polling");
    tree.write("mlx5_0", "rate", "10 Gb/sec (4X SDR)");
    port.read(Depth::Fast);
    EXPECT_EQ(valueOf(port, "state"), 1U);
    EXPECT_EQ(valueOf(port, "physical_state"), 2U);
    EXPECT_EQ(valueOf(port, "rate_mbps"), 10'000U);
}

TEST(RdmaPorts, comeAndAreCounted)
{
    const PortTree tree;
    PortList list(tree.root());
    EXPECT_FALSE(list.isThere());
    for (int i = 0; i < 70; ++i) {
        tree.add("mlx5_" + std::to_string(i));
    }
    EXPECT_TRUE(list.isThere());
    list.findNew();
    EXPECT_EQ(list.ports().size(), 64U);
    EXPECT_EQ(list.leftOut(), 6U);
    list.findNew();
    EXPECT_EQ(list.ports().size(), 64U) << "known ones are not new";
}

TEST(RdmaSource, givesSeriesAndFactsAndReportsTroubleOnce)
{
    const PortTree tree;
    tree.add("mlx5_0");
    tree.write("mlx5_0", "counters/port_xmit_data", "100");
    tree.write("mlx5_0", "counters/symbol_error", "65535");
    collector::Rdma source(tree.root());
    collector::Readings readings;
    source.read(readings, collector::Pace::EveryTick);
    EXPECT_TRUE(readings.values().empty());
    source.read(readings, collector::Pace::OnceASecond);
    std::map<std::string, std::int64_t> values;
    for (const auto& value : readings.values()) {
        EXPECT_EQ(value.series->entity, "mlx5_0:1");
        values[value.series->metric()] = value.value;
    }
    EXPECT_EQ(values["tx_bytes"], 400);
    EXPECT_EQ(values["state"], 4);
    EXPECT_FALSE(values.contains("symbol_errors"));
    ASSERT_EQ(readings.missing().size(), 1U);
    EXPECT_STREQ(readings.missing()[0]->metric(), "symbol_errors");
    ASSERT_FALSE(readings.settings().empty());
    EXPECT_EQ(readings.settings()[0].source.text(), "rdma");
    EXPECT_TRUE(source.reason().empty());

    std::filesystem::remove_all(tree.port("mlx5_0"));
    for (int i = 0; i < 3; ++i) {
        readings.clear();
        source.read(readings, collector::Pace::OnceASecond);
        EXPECT_EQ(readings.issues().size(), i == 0 ? 1U : 0U) << "said once";
        EXPECT_TRUE(readings.settings().empty()) << "facts are told once";
    }
    EXPECT_EQ(source.reason(), "mlx5_0:1: it is gone");
}

} // namespace
