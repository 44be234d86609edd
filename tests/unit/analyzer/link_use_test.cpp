// SPDX-License-Identifier: Apache-2.0
// What links were used for: in communication, in steps and collectives, and when their counters moved.
#include "metrics/metrics.h"
#include "report/links.h"
#include "support/durations.h"
#include "support/trace_builder.h"

#include <gtest/gtest.h>

namespace ringside::metrics {
namespace {

using namespace test;

using ringside::test::kMillisecond;

std::vector<Gain> everySecond(std::initializer_list<std::int64_t> gained)
{
    std::vector<Gain> gains;
    for (const std::int64_t each : gained) {
        const auto begin = static_cast<std::int64_t>(gains.size());
        gains.push_back({{begin * 1000, (begin + 1) * 1000}, each});
    }
    return gains;
}

TEST(GainsOverTime, areSpreadEvenlyBetweenReadings)
{
    const GainsOverTime gains(everySecond({1000, 3000, 0, 2000}));
    EXPECT_DOUBLE_EQ(*gains.perNs({0, 4000}), 1.5);
    EXPECT_DOUBLE_EQ(*gains.perNs({500, 1500}), 2.0);
    EXPECT_DOUBLE_EQ(*gains.perNs({1000, 2000}), 3.0);
    EXPECT_DOUBLE_EQ(*gains.perNs({2000, 3000}), 0.0) << "measured, and nothing";
}

TEST(GainsOverTime, sayNothingOfWhatIsTooShortOrWasNotRead)
{
    const GainsOverTime gains(everySecond({1000, 3000, 0, 2000}));
    EXPECT_EQ(gains.perNs({100, 900}), std::nullopt) << "shorter than the time between readings";
    EXPECT_EQ(gains.perNs({2000, 9000}), std::nullopt) << "mostly after the last reading";
    EXPECT_EQ(gains.perNs({-9000, -5000}), std::nullopt);
    EXPECT_EQ(GainsOverTime({}).perNs({0, 1000}), std::nullopt);
    std::vector<Gain> gap = everySecond({1000, 1000, 1000});
    gap.erase(gap.begin() + 1);
    EXPECT_EQ(GainsOverTime(gap).perNs({0, 3000}), std::nullopt);
}

/// Two hosts, a rank each; every step computes and then communicates for 20 of about 40 ms.
TraceBuilder twoHosts()
{
    TraceBuilder trace(2);
    trace.host(1, "host1");
    trace.steps(12, [](StepBuilder& step) {
        step.everyRank().compute(20ms);
        step.allReduce(4_MiB, {.takes = 20ms});
    });
    return trace;
}

/// A reading every 10 ms, at 8 Gb/s: 1 byte a ns. `bytes` a reading.
void sampleInterface(TraceBuilder& trace, int rank, std::int64_t bytes, const char* name = "eth0")
{
    const std::int64_t begin = trace.process(rank).kernels.startNs[0];
    for (int i = 0; i < 60; ++i) {
        const std::int64_t time = begin + i * 10 * kMillisecond;
        trace.sample(rank, {0, "network", name, "tx_bytes", "counter"}, time, i * bytes);
        trace.sample(rank, {0, "network", name, "rx_bytes", "counter"}, time, 0);
        trace.sample(rank, {0, "network", name, "rate_mbps", "gauge"}, time, 8000);
        trace.sample(rank, {0, "network", name, "rx_dropped", "counter"}, time, i > 20 ? 7 : 0);
    }
}

std::vector<report::Link> linksIn(const TraceBuilder& trace)
{
    return report::linksOf(report::buildReport(trace.run(), {}));
}

TEST(LinkUse, isMeasuredInCommunicationInStepsAndInCollectives)
{
    TraceBuilder trace = twoHosts();
    sampleInterface(trace, 0, kMillisecond); // a tenth of the rate
    const auto links = linksIn(trace);
    ASSERT_EQ(links.size(), 1U);
    EXPECT_EQ(links[0].kind, "network");
    const LinkUse& use = links[0].use;
    ASSERT_FALSE(use.steps.empty());
    for (const StepUse& step : use.steps) {
        EXPECT_NEAR(*step.use.tx, 0.1, 1e-6) << step.step;
        EXPECT_NEAR(*step.use.rx, 0.0, 1e-6);
    }
    ASSERT_FALSE(use.collectives.empty()) << "20 ms are two readings";
    EXPECT_NEAR(*use.collectives.front().use.tx, 0.1, 1e-6);
    ASSERT_TRUE(use.communication);
    EXPECT_NEAR(*use.communication, 0.2, 0.02) << "half of the time is communication";
    EXPECT_NEAR(*use.communicationBitsPerNs, 1.6, 0.16);
    EXPECT_EQ(use.railShare, std::nullopt) << "the only one of its host";
}

TEST(LinkUse, countersHaveTheStepsInWhichTheyMoved)
{
    TraceBuilder trace = twoHosts();
    sampleInterface(trace, 0, kMillisecond);
    const auto links = linksIn(trace);
    ASSERT_EQ(links[0].use.moved.size(), 1U) << "traffic is no movement, and what stands still is none";
    const Movement& moved = links[0].use.moved[0];
    EXPECT_EQ(moved.metric.text(), "rx_dropped");
    EXPECT_EQ(moved.gain.gain, 7);
    ASSERT_TRUE(moved.firstStep);
    EXPECT_GE(*moved.firstStep, 5) << "200 ms after the begin, at 40 ms a step";
    EXPECT_LE(*moved.lastStep, 7);
}

TEST(LinkUse, railsShareWhatTheirHostSent)
{
    TraceBuilder trace = twoHosts();
    sampleInterface(trace, 0, kMillisecond);
    sampleInterface(trace, 0, 3 * kMillisecond, "eth1");
    sampleInterface(trace, 1, 9 * kMillisecond);
    const auto links = linksIn(trace);
    ASSERT_EQ(links.size(), 3U);
    EXPECT_NEAR(*links[0].use.railShare, 0.25, 1e-9);
    EXPECT_NEAR(*links[1].use.railShare, 0.75, 1e-9);
    EXPECT_EQ(links[2].use.railShare, std::nullopt);
}

TEST(LinkUse, theSentenceNamesTheBusiestOrWhatIsMissing)
{
    TraceBuilder trace = twoHosts();
    EXPECT_NE(report::linkSentence(report::buildReport(trace.run(), {})).find("not measured"),
              std::string::npos);
    sampleInterface(trace, 0, kMillisecond);
    sampleInterface(trace, 1, 3 * kMillisecond);
    const std::string text = report::linkSentence(report::buildReport(trace.run(), {}));
    EXPECT_EQ(text.find("Links: host1 eth0 sends "), 0U) << text;
    EXPECT_NE(text.find("% of its rate; host0 eth0 sends"), std::string::npos) << text;
}

TEST(LinkUse, withoutARateTheTrafficIsStillSaid)
{
    TraceBuilder trace = twoHosts();
    const std::int64_t begin = trace.process(0).kernels.startNs[0];
    for (int i = 0; i < 60; ++i) {
        trace.sample(0, {0, "network", "eth0", "tx_bytes", "counter"}, begin + i * 10 * kMillisecond,
                     i * kMillisecond);
    }
    const report::Report report = report::buildReport(trace.run(), {});
    EXPECT_NE(report::linkSentence(report).find("its rate is not known"), std::string::npos);
    EXPECT_TRUE(report::linksOf(report)[0].use.steps.empty());
}

} // namespace
} // namespace ringside::metrics
