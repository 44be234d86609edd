// SPDX-License-Identifier: Apache-2.0
// RDMA ports of a run: increases of counters instead of totals, from any sampling process, and the names of
// links.
#include "metrics/links.h"
#include "model/build_model.h"
#include "report/links.h"
#include "support/durations.h"
#include "support/said.h"
#include "support/trace_builder.h"

#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

namespace ringside::metrics {
namespace {

using namespace test;

using ringside::test::kSecond;

TraceBuilder twoRanks()
{
    TraceBuilder trace(2);
    trace.steps(6, [](StepBuilder& step) {
        step.everyRank().compute(3ms);
        step.allReduce(4_MiB, {.takes = 1ms});
    });
    return trace;
}

void add(TraceBuilder& trace, int rank, const trace::SeriesMetric& metric, std::int64_t timeNs,
         std::int64_t value, const trace::SeriesKindName& kind = "counter")
{
    trace.sample(rank, {0, "rdma", "mlx5_0:1", metric, kind}, timeNs, value);
}

std::vector<Port> portsIn(const TraceBuilder& trace)
{
    return portsOf(model::buildModel(trace.run()));
}

TEST(Links, countersAreGainsFromOneProcessToTheNext)
{
    TraceBuilder trace = twoRanks();
    for (const auto& [second, value] : {std::pair(1, 12821), std::pair(2, 12821), std::pair(3, 12824)}) {
        add(trace, 0, "ack_timeouts", second * kSecond, value);
    }
    add(trace, 1, "ack_timeouts", 4 * kSecond, 12830); // took over when the other one ended
    const std::vector<Port> ports = portsIn(trace);
    ASSERT_EQ(ports.size(), 1U) << "one port, whoever sampled it";
    EXPECT_EQ(ports[0].gain("ack_timeouts"), 9) << "not what it had counted in its life";
    const auto gains = ports[0].gains("ack_timeouts");
    ASSERT_EQ(gains.size(), 3U);
    EXPECT_EQ(gains[0].gain, 0);
    EXPECT_EQ(gains[1].gain, 3);
    EXPECT_EQ(gains[1].between.length(), kSecond);
    EXPECT_EQ(ports[0].gain("tx_bytes"), std::nullopt) << "not measured is not 0";
    EXPECT_EQ(ports[0].label(), "host0 mlx5_0:1");
}

TEST(Links, oneReadingIsNoGain)
{
    TraceBuilder trace = twoRanks();
    add(trace, 0, "link_downed", kSecond, 255);
    EXPECT_EQ(portsIn(trace)[0].gain("link_downed"), std::nullopt);
}

TEST(Links, aCounterThatFellBetweenTwoProcessesIsNoGainOfIt)
{
    TraceBuilder trace = twoRanks();
    add(trace, 0, "rx_errors", 1 * kSecond, 500);
    add(trace, 1, "rx_errors", 2 * kSecond, 3);
    add(trace, 1, "rx_errors", 3 * kSecond, 4);
    EXPECT_EQ(portsIn(trace)[0].gain("rx_errors"), 1);
}

TEST(Links, utilizationIsOfTheDataRateAndOnlyWhereReadingsTell)
{
    TraceBuilder trace = twoRanks();
    for (int second = 0; second <= 4; ++second) {
        add(trace, 0, "rate_mbps", second * kSecond, 40'000, "gauge");
        // 2 GB a second in the second half: half of the 32 Gb/s that 40 Gb/s with 8b/10b carry
        add(trace, 0, "tx_bytes", second * kSecond, second > 2 ? (second - 2) * 2'000'000'000LL : 0);
    }
    for (int rank = 0; rank < 2; ++rank) {
        trace.process(rank).settings.push_back({"rdma", "mlx5_0:1 generation", "QDR"});
    }
    const Port port = portsIn(trace)[0];
    const model::Interval all = port.sampled();
    EXPECT_NEAR(*port.utilization("tx_bytes", {all.start + 2 * kSecond, all.end}), 0.5, 1e-9);
    EXPECT_NEAR(*port.utilization("tx_bytes", all), 0.25, 1e-9);
    EXPECT_NEAR(*port.utilization("tx_bytes", {all.start + kSecond / 2, all.start + 5 * kSecond / 2}), 0.125,
                1e-9);
    EXPECT_EQ(port.utilization("tx_bytes", {all.start, all.start + kSecond / 2}), std::nullopt)
        << "too short";
    EXPECT_EQ(port.utilization("tx_bytes", {all.end - kSecond, all.end + 9 * kSecond}), std::nullopt)
        << "mostly not sampled";
    EXPECT_EQ(port.utilization("rx_bytes", all), std::nullopt);
    EXPECT_EQ(port.carried(), true);
}

TEST(Links, hostileValuesAndNamesDoNoHarm)
{
    TraceBuilder trace = twoRanks();
    for (int i = 0; i < 6; ++i) {
        add(trace, 0, "tx_bytes", i, i % 2 == 0 ? std::numeric_limits<std::int64_t>::min() : -1);
        add(trace, 0, "rate_mbps", i, -5, "gauge");
        add(trace, 0, "state", i, std::numeric_limits<std::int64_t>::max(), "gauge");
    }
    trace.process(0).settings.push_back({"rdma", "mlx5_0:1", "no fact"});
    trace.process(0).settings.push_back({"rdma", " ", ""});
    const report::Report report = report::buildReport(trace.run(), {});
    const auto links = report::linksJson(report);
    ASSERT_EQ(links.size(), 1U);
    EXPECT_TRUE(links[0]["tx_utilization"]["mean"].is_null());
    EXPECT_EQ(links[0]["state"], "not measured");
}

TEST(Links, healthIsTheWorstThatRulesSayAndNotMeasuredWithoutPorts)
{
    TraceBuilder trace = twoRanks();
    EXPECT_EQ(report::linkHealth(report::buildReport(trace.run(), {})), report::Health::NotMeasured);
    for (int second = 1; second < 5; ++second) {
        add(trace, 0, "state", second * kSecond, 4, "gauge");
        add(trace, 0, "rx_errors", second * kSecond, second > 2 ? 1 : 0);
    }
    const report::Report report = report::buildReport(trace.run(), {});
    EXPECT_EQ(report::linkHealth(report), report::Health::Warning);
    EXPECT_EQ(report::healthOf(report, report.metrics.ports[0]), report::Health::Warning);
    const auto findings = report::linkFindings(report);
    ASSERT_EQ(findings.size(), 1U);
    EXPECT_EQ(findings[0]->rule, "rdma_link_errors");
    EXPECT_EQ(findings[0]->links, std::vector<std::string>{"host0 mlx5_0:1"});
}

std::vector<rules::Finding> findingsOf(const TraceBuilder& trace, const std::string& rule)
{
    std::vector<rules::Finding> found;
    for (const rules::Finding& finding : report::buildReport(trace.run(), {}).findings) {
        if (finding.rule == rule) {
            found.push_back(finding);
        }
    }
    return found;
}

// ---- who uses a port ----

/// On a host of two processes, of which each says this of its queue pairs at every reading.
TraceBuilder withQueuePairs(const std::vector<std::vector<std::int64_t>>& readings)
{
    TraceBuilder trace = twoRanks();
    for (int second = 1; second < 5; ++second) {
        add(trace, 0, "state", second * kSecond, 4, "gauge");
        add(trace, 0, "rx_errors", second * kSecond, second > 2 ? 20 : 0);
    }
    for (std::size_t rank = 0; rank < readings.size(); ++rank) {
        for (std::size_t i = 0; i < readings[rank].size(); ++i) {
            trace.sample(static_cast<int>(rank), {0, "rdma_use", "mlx5_0:1", "queue_pairs", "gauge"},
                         static_cast<std::int64_t>(i) * kSecond, readings[rank][i]);
        }
    }
    return trace;
}

TEST(QueuePairs, areThoseOfAllProcessesOrNotKnown)
{
    const auto queuePairs = [](const std::vector<std::vector<std::int64_t>>& readings) {
        return portsIn(withQueuePairs(readings))[0].queuePairs;
    };
    EXPECT_EQ(queuePairs({{0, 8, 6}, {0, 4, 4}}), 12);
    EXPECT_EQ(queuePairs({{0, 8}, {}}), 8) << "one is enough to know that it is used";
    EXPECT_EQ(queuePairs({{0, 0}, {0, 0}}), 0);
    EXPECT_EQ(queuePairs({{0, 0}, {}}), std::nullopt) << "the other one did not say";
    EXPECT_EQ(queuePairs({{0}, {0}}), std::nullopt) << "they may have come later";
    EXPECT_EQ(queuePairs({}), std::nullopt);
    EXPECT_EQ(queuePairs({{-5, -5}, {0, 0}}), 0) << "damage";
}

TEST(QueuePairs, thatAPortHasNoneOfMakeItsTroubleInformation)
{
    const auto finding = [](const std::vector<std::vector<std::int64_t>>& readings) {
        return findingsOf(withQueuePairs(readings), "rdma_link_errors").at(0);
    };
    const rules::Finding used = finding({{8, 8}, {8, 8}});
    EXPECT_EQ(used.severity, rules::Severity::Problem);
    EXPECT_EQ(said(used.title).find("queue pair"), std::string::npos);
    EXPECT_EQ(finding({}).severity, rules::Severity::Problem) << "not known";
    const rules::Finding unused = finding({{0, 0}, {0, 0}});
    EXPECT_EQ(unused.severity, rules::Severity::Info);
    EXPECT_NE(said(unused.title).find("no recorded process has a queue pair on it"), std::string::npos);
}

// ---- events ----

TEST(PortEvents, tellOfAnOutageThatNoReadingSaw)
{
    TraceBuilder trace = twoRanks();
    for (int second = 0; second < 4; ++second) {
        add(trace, 0, "state", second * kSecond, 4, "gauge");
    }
    const trace::StepRow third = trace.process(0).steps[2];
    add(trace, 0, "async_event", third.startNs + 1'000'000, 10, "event");
    add(trace, 0, "async_event", third.startNs + 201'000'000, 9, "event");
    const auto found = findingsOf(trace, "rdma_port_down");
    ASSERT_EQ(found.size(), 1U);
    EXPECT_NE(said(found[0].title).find("host0 mlx5_0:1 went down 1 time in this run, for about 200 ms"),
              std::string::npos)
        << said(found[0].title);
    EXPECT_NE(said(found[0].title).find("in step " + std::to_string(third.number)), std::string::npos)
        << said(found[0].title);
    ASSERT_EQ(found[0].evidence.size(), 1U);
    EXPECT_EQ(found[0].evidence[0].endNs - found[0].evidence[0].startNs, 200'000'000);
}

TEST(PortEvents, ofAnotherKindAreNoOutageAndALostDeviceIsOneOfItsOwn)
{
    TraceBuilder trace = twoRanks();
    add(trace, 0, "state", 0, 4, "gauge");
    add(trace, 0, "async_event", kSecond, 18, "event");
    add(trace, 0, "async_event", kSecond, -1, "event");
    EXPECT_TRUE(findingsOf(trace, "rdma_port_down").empty());
    add(trace, 0, "async_event", 2 * kSecond, 8, "event");
    const auto found = findingsOf(trace, "rdma_port_down");
    ASSERT_EQ(found.size(), 1U);
    EXPECT_NE(said(found[0].title).find("fatal error"), std::string::npos) << said(found[0].title);
    EXPECT_TRUE(found[0].broken);
}

// ---- what counters mean ----

struct Second {
    std::int64_t sent = 0;
    std::int64_t came = 0;
    std::int64_t lost = 0;
    std::int64_t retried = 0;
};

/// Of rule rdma_retransmissions for a port in software that counted this, a second each.
std::vector<rules::Finding> findings(const std::vector<Second>& seconds)
{
    TraceBuilder trace = twoRanks();
    Second sum;
    for (std::size_t i = 0; i <= seconds.size(); ++i) {
        const std::int64_t time = static_cast<std::int64_t>(i) * kSecond;
        add(trace, 0, "state", time, 4, "gauge");
        add(trace, 0, "tx_packets", time, sum.sent);
        add(trace, 0, "rx_packets", time, sum.came);
        add(trace, 0, "retransmissions", time, sum.lost);
        add(trace, 0, "requester_retries", time, sum.retried);
        if (i < seconds.size()) {
            sum = {sum.sent + seconds[i].sent, sum.came + seconds[i].came, sum.lost + seconds[i].lost,
                   sum.retried + seconds[i].retried};
        }
    }
    return findingsOf(trace, "rdma_retransmissions");
}

std::vector<std::string> titles(const std::vector<Second>& seconds)
{
    std::vector<std::string> all;
    for (const rules::Finding& finding : findings(seconds)) {
        all.push_back(said(finding.title));
    }
    return all;
}

TEST(TransportCounters, tellAPeerThatIsGoneFromPacketsThatWereLost)
{
    const Second well{10'000, 700, 0, 5};
    const Second lossy{10'000, 700, 75, 78};
    const Second silent{1'500, 0, 0, 12};
    EXPECT_TRUE(titles({well, well, well}).empty());
    const auto gone = titles({well, silent, silent, silent});
    ASSERT_EQ(gone.size(), 1U);
    EXPECT_NE(gone[0].find("received nothing"), std::string::npos) << gone[0];
    EXPECT_NE(gone[0].find("for about 3.0 s and"), std::string::npos) << gone[0];
    EXPECT_NE(gone[0].find("point to the peer, or the path to it"), std::string::npos) << gone[0];
    const auto lost = titles({well, lossy, lossy});
    ASSERT_EQ(lost.size(), 1U);
    EXPECT_NE(lost[0].find("lost on the path"), std::string::npos) << lost[0];
    EXPECT_TRUE(titles({well, silent, well, silent, well}).empty()) << "one reading is no silence";
}

TEST(TransportCounters, ofAPortInSoftwareThatLosesPacketsAreNoProblem)
{
    const Second lossy{10'000, 700, 75, 78}; // what 1 % loss on the way comes to
    const auto lost = findings({lossy, lossy, lossy});
    ASSERT_EQ(lost.size(), 1U);
    EXPECT_EQ(lost[0].severity, rules::Severity::Warning) << said(lost[0].title);
}

TEST(TransportCounters, sayHowMuchSlowerThePortSentWhilePacketsWereLost)
{
    const Second well{10'000, 700, 0, 5};
    const Second lossy{4'000, 280, 30, 31};
    const auto slow = findings({well, lossy, well, lossy, well, lossy, {}});
    ASSERT_EQ(slow.size(), 1U);
    EXPECT_NE(said(slow[0].title).find("sent at 40.0 % of its usual rate"), std::string::npos)
        << said(slow[0].title);
    const auto always = findings({lossy, lossy, lossy, lossy});
    ASSERT_EQ(always.size(), 1U);
    EXPECT_EQ(said(always[0].title).find("pace"), std::string::npos) << "nothing to compare with";
}

TEST(TransportCounters, nameThePortThatWasDownAtThatTime)
{
    TraceBuilder trace = twoRanks();
    trace.host(1, "host1");
    for (int second = 0; second < 9; ++second) {
        const std::int64_t time = second * kSecond;
        add(trace, 0, "state", time, 4, "gauge");
        add(trace, 0, "ack_timeouts", time, second > 4 ? 2 : 0);
        add(trace, 1, "state", time, second == 3 ? 1 : 4, "gauge");
        trace.sample(1, {0, "rdma", "mlx5_1:1", "state", "gauge"}, time, second == 8 ? 1 : 4);
    }
    const auto found = findingsOf(trace, "rdma_retransmissions");
    ASSERT_EQ(found.size(), 1U);
    EXPECT_NE(said(found[0].title).find("; at the same time port host1 mlx5_0:1 was down"), std::string::npos)
        << said(found[0].title) << ": an answer is waited for for seconds, mlx5_1 went down later";
    ASSERT_EQ(found[0].evidence.size(), 2U);
    EXPECT_EQ(found[0].evidence[1].rank, 1);
}

// ---- addresses of RoCE ports ----

/// Two hosts with a port each, on which each has such addresses and its ranks say so in NCCL_IB_GID_INDEX.
std::vector<rules::Finding> gidFindings(const std::vector<std::pair<const char*, const char*>>& hosts)
{
    TraceBuilder trace = twoRanks();
    trace.host(1, "host1");
    for (int rank = 0; rank < 2; ++rank) {
        const auto& [table, index] = hosts[static_cast<std::size_t>(rank)];
        for (int second = 0; second < 3; ++second) {
            add(trace, rank, "state", second * kSecond, 4, "gauge");
            add(trace, rank, "tx_bytes", second * kSecond, second * 1'000'000'000LL);
        }
        auto& settings = trace.process(rank).settings;
        settings.push_back({"rdma", "mlx5_0:1 gids", "RoCE v2, routable"});
        settings.push_back({"rdma", "mlx5_0:1 gid_table", table});
        settings.push_back({"environment", "NCCL_IB_GID_INDEX", index});
    }
    return findingsOf(trace, "roce_gid");
}

TEST(RoceGid, isJudgedByItsKindAndAgainstTheOtherPorts)
{
    constexpr const char* kTable = "0 v1 link-local, 1 v2 link-local, 2 v1 IPv4, 3 v2 IPv4";
    EXPECT_TRUE(gidFindings({{kTable, "3"}, {kTable, "3"}}).empty());
    EXPECT_TRUE(gidFindings({{kTable, "-1"}, {kTable, ""}}).empty()) << "not set";
    const auto empty = gidFindings({{kTable, "30"}, {kTable, "3"}});
    ASSERT_EQ(empty.size(), 1U);
    EXPECT_EQ(empty[0].severity, rules::Severity::Problem);
    EXPECT_NE(said(empty[0].title).find("no address at that index: NCCL_IB_GID_INDEX is 30"),
              std::string::npos);
    const auto differ = gidFindings({{kTable, "3"}, {"3 v1 IPv4, 4 v2 IPv4", "3"}});
    ASSERT_EQ(differ.size(), 2U);
    bool older = false;
    for (const rules::Finding& finding : differ) {
        older = older || said(finding.title) ==
                             "Port host1 mlx5_0:1: uses RoCE v1, other ports of this run use RoCE v2";
    }
    EXPECT_TRUE(older) << said(differ[0].title) << said(differ[1].title);
}

// ---- what moved together ----

/// A run whose fourth step has a slow collective. `metrics` gain in step `number`; gives the first finding
/// of rdma_retransmissions. A gain of 30 is above the fewest retransmissions that are a share of anything
/// (20).
rules::Finding movedIn(std::size_t number, const std::vector<trace::SeriesMetric>& metrics)
{
    constexpr int kGain = 30;
    TraceBuilder trace(2);
    trace.steps(8, [](StepBuilder& step) {
        step.everyRank().compute(3ms);
        step.allReduce(4_MiB, {.takes = step.number() == 4 ? 60ms : 1ms});
    });
    const std::vector<trace::StepRow>& steps = trace.process(0).steps;
    for (std::size_t i = 0; i < steps.size(); ++i) {
        add(trace, 0, "state", steps[i].startNs, 4, "gauge");
        for (const trace::SeriesMetric& metric : metrics) {
            add(trace, 0, metric, steps[i].startNs, i >= number ? kGain : 0);
        }
    }
    const auto found = findingsOf(trace, "rdma_retransmissions");
    EXPECT_FALSE(found.empty());
    return found.empty() ? rules::Finding() : found[0];
}

bool says(const rules::Finding& finding, const std::string& part)
{
    return said(finding.title).find(part) != std::string::npos;
}

TEST(TransportCounters, thatMovedTogetherSayWhatKindOfFaultItIs)
{
    struct Case {
        std::vector<trace::SeriesMetric> moved;
        const char* words;
    };
    for (const Case& each :
         {Case{{"ack_timeouts", "adaptive_retransmissions"}, "point to the peer, or the path to it"},
          Case{{"ack_timeouts", "link_downed"}, "point to the physical link"},
          Case{{"retransmissions", "rx_errors", "ecn_marked"}, "point to the physical link"},
          Case{{"retransmissions", "cnp_handled"}, "point to congestion"},
          Case{{"retransmissions"}, "no other counter"},
          Case{{"rnr_naks", "ack_timeouts"}, "point to the receiver's software"},
          Case{{"remote_access_errors"}, "point to an error of the programs"}}) {
        const rules::Finding finding = movedIn(4, each.moved);
        EXPECT_TRUE(says(finding, each.words)) << said(finding.title);
    }
}

TEST(TransportCounters, areJoinedWithTheCollectivesOfThatTimeOnly)
{
    const rules::Finding then =
        movedIn(4, {"ack_timeouts"}); // between the begins of the fourth step and the fifth
    EXPECT_TRUE(says(then, "1 of the 1 slowest collectives")) << said(then.title);
    ASSERT_TRUE(then.costNsPerStep);
    EXPECT_GT(*then.costNsPerStep, 0);
    const rules::Finding later = movedIn(7, {"ack_timeouts"});
    EXPECT_TRUE(says(later, "none of the 1 slowest collectives was at that time")) << said(later.title);
    EXPECT_EQ(later.costNsPerStep, std::nullopt);
}

} // namespace
} // namespace ringside::metrics
