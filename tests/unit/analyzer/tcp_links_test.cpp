// SPDX-License-Identifier: Apache-2.0
// Links between hosts over TCP: whose they are, how fast they were, and which of them rule slow_link names.
#include "host_ring.h"
#include "metrics/tcp_links.h"
#include "model/build_model.h"
#include "probe/keep.h"
#include "report/report.h"
#include "support/durations.h"
#include "support/said.h"
#include "support/temporary_directory.h"
#include "support/trace_builder.h"

#include <gtest/gtest.h>

namespace ringside::metrics {
namespace {

using namespace test;

using ringside::test::kSecond;
constexpr std::int64_t kMegabyte = 1'000'000;

struct Carried {
    std::int64_t megabytes = 100; ///< a second
    std::int64_t busyMs = 100;    ///< of each second
    std::int64_t limitedMs = 0;   ///< of it, by the receiver's buffer
    std::int64_t deliveryMBs = 1000;
    std::int64_t again = 0; ///< segments sent again a second, of 20,000
    std::int64_t needlessly = 0;
    std::int64_t readingNs = kSecond;
};

std::string address(int rank)
{
    return "10.0.0." + std::to_string(10 + rank);
}

/// Five seconds of what `from` sends to `to`.
void carry(TraceBuilder& trace, int from, const std::string& to, const Carried& what = {})
{
    const std::string entity = address(from) + " > " + to;
    for (int second = 0; second <= 5; ++second) {
        const auto add = [&](const trace::SeriesMetric& metric, const trace::SeriesKindName& kind,
                             std::int64_t value) {
            trace.sample(from, {0, "tcp", entity, metric, kind}, second * what.readingNs, value);
        };
        add("tx_bytes", "counter", second * what.megabytes * kMegabyte);
        add("busy_us", "counter", second * what.busyMs * 1000);
        add("receiver_limited_us", "counter", second * what.limitedMs * 1000);
        add("delivery_bytes_per_s", "gauge", what.deliveryMBs * kMegabyte);
        add("round_trip_us", "gauge", 40);
        add("segments_sent", "counter", std::int64_t{second} * 20'000);
        add("retransmits", "counter", second * what.again);
        add("retransmits_needless", "counter", second * what.needlessly);
    }
}

void carryAll(TraceBuilder& trace, const std::map<int, Carried>& special)
{
    for (int rank = 0; rank < 4; ++rank) {
        const auto found = special.find(rank);
        carry(trace, rank, address((rank + 1) % 4), found != special.end() ? found->second : Carried{});
    }
}

std::vector<rules::Finding> findingsOf(std::string_view rule, trace::RunTrace run)
{
    std::vector<rules::Finding> found;
    for (const rules::Finding& finding : report::buildReport(std::move(run), {}).findings) {
        if (finding.rule == rule) {
            found.push_back(finding);
        }
    }
    return found;
}

std::vector<rules::Finding> slowLinksIn(trace::RunTrace run)
{
    return findingsOf("slow_link", std::move(run));
}

std::vector<rules::Finding> slowLinks(const TraceBuilder& trace)
{
    return slowLinksIn(trace.run());
}

std::vector<rules::Finding> lossesIn(const TraceBuilder& trace)
{
    return findingsOf("congestion_control", trace.run());
}

TEST(TcpLinks, countWhatWasUnderWayWithoutFullBuffers)
{
    TraceBuilder trace = ring();
    carryAll(trace, {{1, {.megabytes = 100, .busyMs = 500, .limitedMs = 300}}});
    const auto links = tcpLinksOf(model::buildModel(trace.run()));
    ASSERT_EQ(links.size(), 4U);
    EXPECT_EQ(links[1].sender, 1U);
    EXPECT_EQ(links[1].receiver, 2U);
    EXPECT_EQ(links[1].bytes, 500 * kMegabyte);
    EXPECT_EQ(links[1].underWayNs, kSecond);
    EXPECT_NEAR(*links[1].gbs(), 0.5, 1e-9);
    EXPECT_NEAR(links[1].busyShare(), 0.2, 1e-9);
    EXPECT_EQ(links[1].roundTripNs, 40'000);
    EXPECT_NEAR(*links[1].deliveryGBs, 1.0, 1e-9);
}

TEST(TcpLinks, anUnknownOrSharedAddressBelongsToNoHost)
{
    TraceBuilder trace = ring();
    carryAll(trace, {});
    carry(trace, 0, "192.168.1.1"); // a file server
    for (int rank = 0; rank < 2; ++rank) {
        trace.sample(rank, {0, "tcp", "172.17.0.2 > 8.8.8.8", "tx_bytes", "counter"}, 0, 0);
    }
    carry(trace, 2, "172.17.0.2");
    EXPECT_EQ(tcpLinksOf(model::buildModel(trace.run())).size(), 4U);
}

TEST(TcpLinks, hostileRowsDoNoHarm)
{
    TraceBuilder trace = ring();
    carryAll(trace, {});
    for (const char* entity : {"", " > ", ">", "10.0.0.10 > ", "10.0.0.10 > 10.0.0.11 > x"}) {
        for (int i = 0; i < 4; ++i) {
            trace.sample(0, {0, "tcp", entity, "tx_bytes", "counter"}, i * kSecond,
                         i % 2 == 0 ? -1 : INT64_MAX / 2);
            trace.sample(0, {0, "tcp", entity, "busy_us", "counter"}, i * kSecond, i * (INT64_MAX / 5));
        }
    }
    EXPECT_TRUE(slowLinks(trace).empty());
}

TEST(TcpLoss, ofHalfAPercentIsNamedWithItsLink)
{
    TraceBuilder trace = ring();
    carryAll(trace, {{1, {.again = 110, .needlessly = 10}}});
    const auto found = lossesIn(trace);
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].severity, rules::Severity::Warning);
    EXPECT_EQ(said(found[0].title),
              "TCP lost 0.5 % of the segments from b to c (500 of 100000 were sent again)");
    EXPECT_EQ(found[0].links, std::vector<std::string>{"b -> c"});
    EXPECT_EQ(found[0].ranks, (std::vector<std::int64_t>{1, 2}));
    EXPECT_EQ(found[0].evidence.size(), 1U);
}

TEST(TcpLoss, towardsOneHostIsOneFindingThatNamesTheHost)
{
    TraceBuilder trace = ring();
    carryAll(trace, {{1, {.again = 100}}});
    carry(trace, 3, address(2), {.again = 300});
    const auto found = lossesIn(trace);
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].severity, rules::Severity::Problem);
    EXPECT_EQ(found[0].links, (std::vector<std::string>{"d -> c", "b -> c"}));
    EXPECT_NE(said(found[0].title).find("1 other link loses segments, too: all of them lead to c"),
              std::string::npos)
        << said(found[0].title);
}

TEST(TcpLoss, thatIsRareNeedlessOrOfAFewSegmentsIsNone)
{
    TraceBuilder trace = ring();
    carryAll(trace, {{0, {.again = 19}}, {1, {.again = 200, .needlessly = 190}}, {2, {.again = 1}}});
    EXPECT_TRUE(lossesIn(trace).empty());
    TraceBuilder hostile = ring();
    carryAll(hostile, {{0, {.again = INT64_MAX / 8, .needlessly = INT64_MAX / 8}},
                       {1, {.again = -5, .needlessly = 9}}});
    EXPECT_TRUE(lossesIn(hostile).empty());
}

TEST(SlowLink, isTheOneThatDataIsUnderWayOnMuchLonger)
{
    TraceBuilder trace = ring();
    carryAll(trace, {{2, {.megabytes = 100, .busyMs = 900, .deliveryMBs = 110}}});
    const auto found = slowLinks(trace);
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].links, std::vector<std::string>{"c -> d"});
    EXPECT_EQ(found[0].ranks, (std::vector<std::int64_t>{2, 3}));
    EXPECT_NE(said(found[0].title).find("c -> d carries 0.111 GB/s"), std::string::npos)
        << said(found[0].title);
    EXPECT_NE(said(found[0].title).find("90.0 % of the time, on the others for 10.0 %"), std::string::npos)
        << said(found[0].title);
    ASSERT_EQ(found[0].evidence.size(), 1U);
    EXPECT_EQ(found[0].evidence[0].rank, 2);
    EXPECT_GT(found[0].costNsPerStep, 0);
}

TEST(SlowLink, isNotJudgedByAFewSteps)
{
    TraceBuilder trace = ring();
    const std::int64_t often = 60'000'000;
    const Carried usual{.readingNs = often};
    carryAll(trace, {{0, usual},
                     {1, usual},
                     {2, {.busyMs = 900, .deliveryMBs = 110, .again = 300, .readingNs = often}},
                     {3, usual}});
    EXPECT_TRUE(slowLinks(trace).empty());
    EXPECT_EQ(lossesIn(trace).size(), 1U) << "a share of segments needs no time";
}

TEST(SlowLink, ofAHostThatIsAtAnEndOfAllIsThatHost)
{
    TraceBuilder trace = ring();
    const Carried slow{.megabytes = 100, .busyMs = 900, .deliveryMBs = 110};
    carryAll(trace, {{1, slow}, {2, slow}});
    const auto found = slowLinks(trace);
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].ranks, std::vector<std::int64_t>{2});
    EXPECT_EQ(said(found[0].title).find("Host c is at an end of all 2 slow links (b -> c, c -> d)"), 0U)
        << said(found[0].title);
}

TEST(SlowLink, twoDirectionsOfOnePairAreNoHost)
{
    TraceBuilder trace = ring();
    const Carried slow{.megabytes = 100, .busyMs = 900, .deliveryMBs = 110};
    carryAll(trace, {{2, slow}});
    carry(trace, 3, address(2), slow);
    EXPECT_EQ(slowLinks(trace).size(), 2U);
}

TEST(SlowLink, needsBothWitnessesAndTimeThatMatters)
{
    const Carried late{.megabytes = 100, .busyMs = 900, .deliveryMBs = 1000}; // acknowledgements came late
    const Carried fullBuffer{.megabytes = 100, .busyMs = 900, .limitedMs = 850, .deliveryMBs = 110};
    const Carried seldom{.megabytes = 20, .busyMs = 40, .deliveryMBs = 110};
    for (const Carried& each : {late, fullBuffer, seldom, Carried{}}) {
        TraceBuilder trace = ring();
        carryAll(trace, {{2, each}});
        EXPECT_TRUE(slowLinks(trace).empty());
    }
}

TEST(SlowLink, ofTwoIsNotJudged)
{
    TraceBuilder trace = ring();
    carry(trace, 0, address(1));
    carry(trace, 1, address(0), {.megabytes = 100, .busyMs = 900, .deliveryMBs = 110});
    const auto missing = report::buildReport(trace.run(), {}).notApplicable;
    EXPECT_TRUE(std::ranges::any_of(missing, [](const auto& each) { return each.rule == "slow_link"; }));
}

/// Both directions of a pair are slow in the run, and a probe measured each alone.
std::vector<rules::Finding> slowLinksOfPair(double thereGbps, double backGbps)
{
    TraceBuilder trace(2);
    trace.host(0, "a");
    trace.host(1, "b");
    trace.steps(12, [](StepBuilder& step) {
        step.everyRank().compute(3ms);
        step.allReduce(4_MiB, {.takes = 20ms});
    });
    const Carried slow{.megabytes = 100, .busyMs = 900, .deliveryMBs = 110};
    carry(trace, 0, address(1), slow);
    carry(trace, 1, address(0), slow);
    probe::Matrix matrix;
    matrix.hosts = {"a", "b"};
    matrix.interfaces = {"eth0 (10.0.0.10)", "eth0 (10.0.0.11)"};
    matrix.directions = {{std::nullopt, probe::Measurement{50, 90, thereGbps, 1 << 20, 0, 0, 0}},
                         {probe::Measurement{50, 90, backGbps, 1 << 20, 0, 0, 0}, std::nullopt}};
    matrix.rdma.assign(2, std::vector<probe::RdmaDirection>(2));
    const TemporaryDirectory folder;
    trace.write(folder.path() / "x.ringside");
    probe::storeIn(folder.path() / "x.ringside", matrix);
    return slowLinksIn(trace::openRun(folder.path() / "x.ringside"));
}

TEST(SlowLink, isNotTheOneThatIsAcknowledgedBehindASlowOne)
{
    const auto found = slowLinksOfPair(0.9, 40);
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].links, std::vector<std::string>{"a -> b"});
    EXPECT_NE(said(found[0].title).find("b -> a is slow only because"), std::string::npos)
        << said(found[0].title);
}

TEST(SlowLink, isBothDirectionsWhereTheProbeFoundThemAlike)
{
    EXPECT_EQ(slowLinksOfPair(40, 40).size(), 2U);
}

TEST(SlowLink, isBothDirectionsWhereTheRunWasSlowerThanTheProbeExplains)
{
    EXPECT_EQ(slowLinksOfPair(15, 40).size(), 2U);
}

} // namespace
} // namespace ringside::metrics
