// SPDX-License-Identifier: Apache-2.0
// The map of hosts: what they sent each other and by which source, which findings belong to which line, and
// what was not measured.
#include "host_ring.h"
#include "report/host_map.h"
#include "report/link_text.h"
#include "support/durations.h"
#include "support/trace_builder.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace ringside::report {
namespace {

using namespace test;

/// Five seconds of TCP from a rank to the next one, in which data was under way so much of the time.
void carry(TraceBuilder& trace, int from, std::int64_t busyMs)
{
    constexpr std::int64_t kMegabytes = 100;
    const std::string entity = fmt::format("10.0.0.{} > 10.0.0.{}", from, (from + 1) % 4);
    for (std::int64_t second = 0; second <= 5; ++second) {
        const auto add = [&](const trace::SeriesMetric& metric, std::int64_t value) {
            trace.sample(from, {0, "tcp", entity, metric, "counter"}, second * kSecond, value);
        };
        add("tx_bytes", second * kMegabytes * 1'000'000);
        add("busy_us", second * busyMs * 1000);
        add("retransmits", second * 2);
    }
}

TraceBuilder withTcp(std::int64_t busyMsOfLast)
{
    TraceBuilder trace = ring();
    for (int rank = 0; rank < 4; ++rank) {
        carry(trace, rank, rank == 3 ? busyMsOfLast : 100);
    }
    return trace;
}

TEST(HostMap, slowConnectionsAreNamedAndOthersAreOk)
{
    const Report report = buildReport(withTcp(900).run(), {});
    const HostMap map = hostMapOf(report);
    ASSERT_EQ(map.hosts.size(), 4U);
    EXPECT_EQ(map.hosts[3].name, "d");
    EXPECT_EQ(map.hosts[3].ranks, std::vector<std::int64_t>{3});
    EXPECT_EQ(map.source, metrics::TrafficSource::Tcp);
    ASSERT_EQ(map.connections.size(), 4U);
    for (const Connection& each : map.connections) {
        const bool slow = each.traffic.sender == 3;
        EXPECT_EQ(each.traffic.bytes, 500'000'000);
        EXPECT_EQ(each.traffic.retransmits, 10);
        EXPECT_TRUE(each.traffic.busiest);
        EXPECT_EQ(each.health == Health::Ok, !slow) << each.traffic.sender;
        EXPECT_EQ(each.findings.empty(), !slow);
    }
    const document::Table table = connectionTable(report, map);
    ASSERT_EQ(table.rows.size(), 4U);
    EXPECT_EQ(cellText(table.rows[3][0]), "d");
    EXPECT_EQ(cellText(table.rows[3][1]), "a");
}

TEST(HostMap, whatNoRuleCouldCompareIsNotOk)
{
    TraceBuilder trace = ring();
    carry(trace, 0, 100);
    const Report report = buildReport(trace.run(), {});
    const HostMap map = hostMapOf(report);
    EXPECT_TRUE(map.connections.empty()) << "the address of the other host is not known";

    carry(trace, 1, 100); // now it is; one connection with nothing to compare it with
    const Report both = buildReport(trace.run(), {});
    const HostMap two = hostMapOf(both);
    ASSERT_EQ(two.connections.size(), 1U);
    EXPECT_EQ(two.connections[0].health, Health::NotMeasured);
    EXPECT_EQ(cellText(connectionTable(both, two).rows[0][5]), "not measured");
}

TEST(HostMap, withoutTrafficItSaysWhatToRecord)
{
    const Report report = buildReport(ring().run(), {});
    const HostMap map = hostMapOf(report);
    EXPECT_EQ(map.source, metrics::TrafficSource::None);
    EXPECT_TRUE(map.connections.empty());
    EXPECT_NE(metrics::trafficSourceText(map.source).find("--profile deep"), std::string_view::npos);
}

TEST(HostMap, portsBelongToTheirHostsAndTheNearestGpus)
{
    TraceBuilder trace = ring();
    for (const char* const port : {"mlx5_0:1", "mlx5_1:1"}) {
        for (std::int64_t second = 0; second <= 5; ++second) {
            trace.sample(1, {0, "rdma", port, "tx_bytes", "counter"}, second * kSecond, second * 1000);
        }
    }
    trace.sample(1, {0, "rdma", "mlx5_1:1", "state", "gauge"}, kSecond, 4);
    auto& settings = trace.process(1).settings;
    settings.push_back({"rdma", "mlx5_0:1 pci_path", "pci0000:16/0000:16:01.0/0000:17:00.0"});
    settings.push_back({"rdma", "mlx5_1:1 pci_path", "pci0000:80/0000:80:01.0/0000:81:00.0/0000:83:00.0"});
    settings.push_back({"device", "gpu0_pci_path", "pci0000:80/0000:80:01.0/0000:81:00.0/0000:82:00.0"});
    settings.push_back({"device", "gpu0_numa_node", "1"});
    const Report report = buildReport(trace.run(), {});
    const HostMap map = hostMapOf(report);
    EXPECT_TRUE(map.hosts[0].ports.empty());
    ASSERT_EQ(map.hosts[1].ports.size(), 2U);
    EXPECT_TRUE(map.hosts[1].ports[0].nearRanks.empty());
    EXPECT_EQ(map.hosts[1].ports[1].nearRanks, std::vector<std::int64_t>{1});
    const document::Table ports = portTable(report);
    EXPECT_EQ(cellText(ports.rows[map.hosts[1].ports[1].row][1]), "mlx5_1:1");
    const document::Table hosts = hostTable(map);
    ASSERT_EQ(hosts.rows.size(), 4U);
    EXPECT_EQ(cellText(hosts.rows[1][2]), "2");
    EXPECT_EQ(cellText(hosts.rows[1][4]), "mlx5_1:1: 1");
    EXPECT_TRUE(hosts.rows[0][4].isAbsent()) << "not known is not none";
}

} // namespace
} // namespace ringside::report
