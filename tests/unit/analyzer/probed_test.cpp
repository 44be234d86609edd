// SPDX-License-Identifier: Apache-2.0
// What a probe left in a run: read back as it was kept, and the measure that rules hold the run against.
#include "metrics/probed.h"
#include "model/build_model.h"
#include "probe/keep.h"
#include "report/report.h"
#include "support/said.h"
#include "support/temporary_directory.h"
#include "support/trace_builder.h"

#include <ringside/error.h>

#include <gtest/gtest.h>

namespace ringside::metrics {
namespace {

using namespace test;

constexpr double kMicrosecondsAMillisecond = 1000;

/// Two hosts of two ranks; each step a small and a large collective.
TraceBuilder twoHosts(nanoseconds small)
{
    TraceBuilder trace(4);
    for (int rank = 2; rank < 4; ++rank) {
        trace.host(rank, "host1");
    }
    trace.steps(20, [small](StepBuilder& step) {
        step.everyRank().compute(3ms);
        step.allReduce(4_KiB, {.takes = small});
        step.allReduce(16_MiB, {.takes = 20ms});
    });
    return trace;
}

probe::Matrix matrix(double gbps, double roundTripUs)
{
    const probe::Measurement measured{roundTripUs, 2 * roundTripUs, gbps, 1 << 20, 0, 0, 0};
    probe::Matrix found;
    found.hosts = {"host0", "host1"};
    found.interfaces = {"eth0 (10.0.0.1)", "eth0 (10.0.0.2)"};
    found.directions = {{std::nullopt, measured}, {measured, std::nullopt}};
    found.rdma.assign(2, std::vector<probe::RdmaDirection>(2));
    return found;
}

/// With RDMA on top.
probe::Matrix rdmaMatrix(double gbps, double writeUs)
{
    probe::Matrix found = matrix(8.0, 50);
    const probe::RdmaMeasurement measured{writeUs, 2 * writeUs, gbps, 1 << 20, 0};
    found.rdma[0][1].rails = found.rdma[1][0].rails = {{{0, 0}, {measured, ""}}};
    return found;
}

/// A port a host, of 400 Gb/s, that carries 1 GB.
void addPorts(TraceBuilder& trace)
{
    for (const int rank : {0, 2}) {
        for (int i = 0; i < 2; ++i) {
            const std::int64_t time = i * 1'000'000'000LL;
            trace.sample(rank, {0, "rdma", "mlx5_0:1", "tx_bytes", "counter"}, time, i * 1'000'000'000LL);
            trace.sample(rank, {0, "rdma", "mlx5_0:1", "rate_mbps", "gauge"}, time, 400'000);
        }
    }
}

/// The run as it is read after a probe was kept in it.
trace::RunTrace withProbe(const TraceBuilder& trace, const probe::Matrix& found)
{
    const TemporaryDirectory folder;
    const auto run = folder.path() / "x.ringside";
    trace.write(run);
    probe::checkRun(run);
    probe::storeIn(run, found);
    return trace::openRun(run);
}

/// Titles of a rule's findings.
std::vector<std::string> titles(trace::RunTrace run, const std::string& rule)
{
    std::vector<std::string> found;
    for (const rules::Finding& finding : report::buildReport(std::move(run), {}).findings) {
        if (finding.rule == rule) {
            found.push_back(said(finding.title));
        }
    }
    return found;
}

TEST(Probed, isReadAsItWasKeptAndIsNoRank)
{
    const model::Model model = model::buildModel(withProbe(twoHosts(1ms), matrix(8.0, 50)));
    EXPECT_EQ(model.ranks.size(), 4U);
    EXPECT_EQ(model.hosts.size(), 2U);
    const Probed probed = probedOf(model);
    ASSERT_EQ(probed.links.size(), 2U);
    const ProbedLink& link = probed.links.at({"host0", "host1"});
    EXPECT_NEAR(*link.gbs, 1.0, 1e-9);
    EXPECT_EQ(link.roundTripNs, 50'000);
    EXPECT_EQ(probed.medianRoundTripNs(), 50'000);
    EXPECT_TRUE(probed.realtimeNs);
}

TEST(Probed, ofOtherHostsIsIgnored)
{
    probe::Matrix others = matrix(8.0, 50);
    others.hosts = {"host7", "host8"};
    const Probed probed = probedOf(model::buildModel(withProbe(twoHosts(1ms), others)));
    EXPECT_TRUE(probed.links.empty());
    EXPECT_EQ(probed.usualLinkGBs(), std::nullopt);
}

TEST(Probed, isKeptOnlyWhereThereIsARun)
{
    const TemporaryDirectory folder;
    EXPECT_THROW(probe::checkRun(folder.path()), Error);
    EXPECT_THROW(probe::checkRun(folder.path() / "none"), Error);
}

TEST(Probed, bandwidthBetweenTwoSizesLiesOnTheirLine)
{
    Probed probed;
    probed.allReduces = {{1024, {1000, 1.0}}, {4096, {2000, 3.0}}};
    EXPECT_NEAR(*probed.busGBs(1024), 1.0, 1e-9);
    EXPECT_NEAR(*probed.busGBs(2048), 2.0, 1e-9);
    EXPECT_EQ(probed.busGBs(512), std::nullopt);
    EXPECT_EQ(probed.busGBs(8192), std::nullopt);
}

TEST(InterNodeLatency, isHeldAgainstWhatRoundTripsExplain)
{
    const TraceBuilder trace = twoHosts(3ms); // less than the field's 5 ms
    EXPECT_TRUE(titles(trace.run(), "inter_node_latency_high").empty());
    const auto near = titles(withProbe(trace, matrix(8.0, 50)), "inter_node_latency_high");
    ASSERT_EQ(near.size(), 1U);
    EXPECT_NE(near[0].find("the round trips that `ringside probe` measured explain 0.15 ms"),
              std::string::npos)
        << near[0];
    EXPECT_TRUE(titles(withProbe(twoHosts(8ms), matrix(8.0, 2 * kMicrosecondsAMillisecond)),
                       "inter_node_latency_high")
                    .empty())
        << "the hosts are that far from each other";
}

TEST(InterNodeLatency, overRdmaIsHeldAgainstWritesOverRdma)
{
    TraceBuilder trace = twoHosts(2ms);
    const auto overTcp = titles(withProbe(trace, rdmaMatrix(100, 4)), "inter_node_latency_high");
    ASSERT_EQ(overTcp.size(), 1U) << "no port carried data";
    EXPECT_NE(overTcp[0].find("the round trips that `ringside probe` measured explain 0.15 ms"),
              std::string::npos)
        << overTcp[0];
    addPorts(trace);
    const auto found = titles(withProbe(trace, rdmaMatrix(100, 4)), "inter_node_latency_high");
    ASSERT_EQ(found.size(), 1U);
    EXPECT_NE(found[0].find("the RDMA writes that `ringside probe` measured explain 0.01 ms"),
              std::string::npos)
        << found[0];
    EXPECT_TRUE(titles(withProbe(trace, rdmaMatrix(100, 100)), "inter_node_latency_high").empty())
        << "the network is that slow";
}

TEST(InterNodeLatency, reportsThatThereWasNoProbe)
{
    const auto found = titles(twoHosts(8ms).run(), "inter_node_latency_high");
    ASSERT_EQ(found.size(), 1U);
    EXPECT_NE(found[0].find("no probe is in the run"), std::string::npos) << found[0];
}

// ---- collective_bandwidth_low ----

void addAllReduce(TraceBuilder& trace, std::uint64_t bytes, double gbs, std::int64_t ranks = 4)
{
    const std::string entity = "all_reduce " + std::to_string(bytes);
    trace.sample(0, {0, "probe", entity, "bus_bytes_per_s", "gauge"}, 0,
                 static_cast<std::int64_t>(gbs * 1e9));
    trace.sample(0, {0, "probe", entity, "ranks", "gauge"}, 0, ranks);
}

/// 16 MiB in 20 ms on 4 ranks: 1.26 GB/s of bus bandwidth.
TEST(CollectiveBandwidth, isHeldAgainstWhatTheProbeMeasuredForThatSize)
{
    TraceBuilder trace = twoHosts(1ms);
    EXPECT_TRUE(titles(trace.run(), "collective_bandwidth_low").empty()) << "as fast as it ever was";
    addAllReduce(trace, 8_MiB, 4);
    addAllReduce(trace, 64_MiB, 4);
    const auto found = titles(trace.run(), "collective_bandwidth_low");
    ASSERT_EQ(found.size(), 1U);
    EXPECT_NE(found[0].find("of what `ringside probe` measured for that size"), std::string::npos)
        << found[0];
}

TEST(CollectiveBandwidth, isNotHeldAgainstAProbeOfOtherRanks)
{
    TraceBuilder trace = twoHosts(1ms);
    addAllReduce(trace, 8_MiB, 4, 2);
    addAllReduce(trace, 64_MiB, 4, 2);
    EXPECT_TRUE(titles(trace.run(), "collective_bandwidth_low").empty());
}

/// An interface a host, which carries 100 MB.
TraceBuilder withInterfaces(std::int64_t mbps)
{
    TraceBuilder trace = twoHosts(1ms);
    for (const int rank : {0, 2}) {
        for (int i = 0; i < 2; ++i) {
            trace.sample(rank, {0, "network", "eth0", "tx_bytes", "counter"}, i * 1'000'000'000LL,
                         i * 100'000'000LL);
            trace.sample(rank, {0, "network", "eth0", "rate_mbps", "gauge"}, i * 1'000'000'000LL, mbps);
        }
    }
    return trace;
}

TEST(CollectiveBandwidth, isHeldAgainstTheRateOfThePorts)
{
    const auto found = titles(withInterfaces(40'000).run(), "collective_bandwidth_low"); // 5 GB/s: 5 ms
    ASSERT_EQ(found.size(), 1U);
    EXPECT_NE(found[0].find("25.2 % of the rate of the ports"), std::string::npos) << found[0];
    EXPECT_TRUE(titles(withInterfaces(10'000).run(), "collective_bandwidth_low").empty())
        << "it reaches that";
    EXPECT_TRUE(titles(withInterfaces(400'000).run(), "collective_bandwidth_low").empty())
        << "0.5 ms: latency counts";
}

TEST(CollectiveBandwidth, isHeldAgainstWhatTheProbeMeasuredOverRdma)
{
    TraceBuilder trace = twoHosts(1ms);
    addPorts(trace);
    EXPECT_TRUE(titles(trace.run(), "collective_bandwidth_low").empty()) << "0.5 ms at the ports' rate";
    const auto found = titles(withProbe(trace, rdmaMatrix(40, 4)), "collective_bandwidth_low");
    ASSERT_EQ(found.size(), 1U);
    EXPECT_NE(found[0].find("25.2 % of what `ringside probe` measured over RDMA"), std::string::npos)
        << found[0];
    EXPECT_TRUE(titles(withProbe(trace, rdmaMatrix(11, 4)), "collective_bandwidth_low").empty())
        << "it reaches that";
}

} // namespace
} // namespace ringside::metrics
