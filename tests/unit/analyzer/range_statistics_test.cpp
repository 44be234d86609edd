// SPDX-License-Identifier: Apache-2.0
#include "metrics/compute_metrics.h"
#include "report/report.h"
#include "support/parallel_job.h"
#include "timeline/range_statistics.h"
#include "timeline_of_ranks.h"

namespace ringside::timeline {
namespace {

TEST(RangeStatistics, ofAStepAreThatStepsFigures)
{
    TraceBuilder builder(2);
    builder.steps(10, [](StepBuilder& step) {
        step.everyRank().copy(1_MiB, 300us).compute(3ms, {.launches = 3}).hostIdle(1ms);
        step.rank(1).compute(2ms);
        step.allReduce(4_MiB, {.takes = 1ms, .overlapped = true});
        step.everyRank().compute(700us).waitForCommunication();
    });
    const report::Report report = report::buildReport(builder.run(), {});
    const Timeline timeline = buildTimeline(report.model);
    for (const metrics::RankMetrics& rank : report.metrics.ranks) {
        const model::ClockMap& clock = report.model.ranks[rank.rank].clock;
        ASSERT_FALSE(rank.windows.empty());
        for (std::size_t i = 0; i < rank.windows.size(); ++i) {
            const Interval range{clock.toRun(rank.windows[i].start), clock.toRun(rank.windows[i].end)};
            const auto ranks = statisticsOf(report.model, timeline, range);
            ASSERT_EQ(ranks.size(), 2U);
            const metrics::Breakdown& device = ranks[rank.rank].device.value();
            const metrics::Breakdown& step = rank.steps[i];
            EXPECT_EQ(device.stepNs, step.stepNs);
            EXPECT_EQ(device.computeNs, step.computeNs);
            EXPECT_EQ(device.communicationNs, step.communicationNs);
            EXPECT_EQ(device.exposedCommunicationNs, step.exposedCommunicationNs);
            EXPECT_EQ(device.exposedWaitNs, step.exposedWaitNs);
            EXPECT_EQ(device.exposedCopyNs, step.exposedCopyNs);
            EXPECT_EQ(device.idleNs, step.idleNs);
        }
    }
}

TEST(RangeStatistics, countsOnlyWhatIsInside)
{
    const model::Model model = lateRankModel();
    const Timeline timeline = buildTimeline(model);
    const auto kernel = firstOf(timeline, 0, SpanKind::Compute);
    ASSERT_TRUE(kernel);
    const Interval time = timeline.span(*kernel).time;
    const std::int64_t quarter = time.length() / 4;
    const auto inside = statisticsOf(model, timeline, {time.start + quarter, time.end - quarter});
    EXPECT_EQ(inside[0].device->computeNs, time.length() - 2 * quarter);
    EXPECT_EQ(inside[0].device->idleNs, 0);
    const auto whole = statisticsOf(model, timeline, timeline.extent);
    EXPECT_EQ(whole[2].lastArrivals, 8);
    EXPECT_EQ(whole[0].lastArrivals, 0);
    EXPECT_EQ(tableOf(model, whole).rows.size(), 4U);
}

TEST(RangeStatistics, divideMessagesIntoWaitAndTransferAsAReportDoes)
{
    const model::Model model = model::buildModel(test::playParallelJob({.stages = 4}, {}).run());
    const metrics::RunMetrics run = metrics::computeMetrics(model);
    const Timeline timeline = buildTimeline(model);
    ASSERT_FALSE(run.ranks.empty());
    for (const metrics::RankMetrics& rank : run.ranks) {
        const model::ClockMap& clock = model.ranks[rank.rank].clock;
        for (std::size_t step = 0; step < rank.steps.size(); ++step) {
            const Interval window{clock.toRun(rank.windows[step].start), clock.toRun(rank.windows[step].end)};
            const auto device = statisticsOf(model, timeline, window)[rank.rank].device;
            ASSERT_TRUE(device);
            EXPECT_NEAR(static_cast<double>(device->waitNs), static_cast<double>(rank.steps[step].waitNs),
                        10);
            EXPECT_NEAR(static_cast<double>(device->idleNs), static_cast<double>(rank.steps[step].idleNs),
                        10);
        }
        EXPECT_GT(rank.total.waitNs, 0) << "stages wait for messages of others";
    }
}

TEST(RangeStatistics, reportsWhatWasNotMeasured)
{
    TraceBuilder builder(1);
    builder.withoutDeviceTier("no CUPTI here").steps(6, [](StepBuilder& step) {
        step.everyRank().compute(3ms);
    });
    const model::Model model = model::buildModel(builder.run());
    const Timeline timeline = buildTimeline(model);
    const auto ranks = statisticsOf(model, timeline, timeline.extent);
    EXPECT_FALSE(ranks[0].device);
    EXPECT_FALSE(ranks[0].lastArrivals);
    const document::Cell unknown = tableOf(model, ranks).rows[0][1];
    EXPECT_TRUE(unknown.isAbsent());
    EXPECT_EQ(unknown.reason(), "not measured");
}

TEST(SampleLines, holdGaugesAndShowWhatCountersGain)
{
    TraceBuilder builder(1);
    builder.steps(4, [](StepBuilder& step) { step.everyRank().compute(1ms); });
    const trace::SeriesRow clock{0, "nvml", "gpu0", "sm_clock_mhz", "gauge", 0};
    const trace::SeriesRow bytes{0, "network", "eth0", "rx_bytes", "counter", 0};
    const std::int64_t begin = builder.process(0).process.startNs;
    const std::pair<std::int64_t, std::int64_t> gauge[] = {
        {0, 1000}, {1, 1400}, {2, 0}, {3, 1400}, {40, 900}};
    for (const auto& [time, value] : gauge) { // a gap of 37 times its period
        builder.sample(0, clock, begin + time * kMillisecond, value);
    }
    for (const std::int64_t time : {0, 10, 20}) {
        builder.sample(0, bytes, begin + time * kMillisecond, time * 5'000'000);
    }
    const model::Model model = model::buildModel(builder.run());
    const std::vector<SampleLine> lines = sampleLines(model);
    ASSERT_EQ(lines.size(), 2U);
    const SampleLine& line = lines[0];
    const std::int64_t zero = model.ranks[0].clock.toRun(begin);
    EXPECT_EQ(line.rank, 0U);
    EXPECT_EQ(line.name, "SM clock");
    EXPECT_EQ(line.unit, "MHz");
    EXPECT_EQ(line.most, 1400);
    EXPECT_EQ(line.at(zero - 1), std::nullopt);
    EXPECT_EQ(line.at(zero + kMillisecond / 2), 1000);
    EXPECT_EQ(line.at(zero + 5 * kMillisecond / 2), 0); // measured, and 0
    EXPECT_EQ(line.at(zero + 20 * kMillisecond), std::nullopt);
    EXPECT_EQ(line.at(zero + 40 * kMillisecond), 900);
    EXPECT_EQ(lines[1].rank, std::nullopt);
    EXPECT_EQ(lines[1].name, "eth0 received");
    EXPECT_EQ(lines[1].at(zero + 15 * kMillisecond), 5000.0); // 50 MB in 10 ms

    const auto columns = columnsOf(line, {zero, zero + 40 * kMillisecond}, 40);
    EXPECT_EQ(columns[0]->most, 1000);
    EXPECT_EQ(columns[2]->most, 0);
    EXPECT_FALSE(columns[20]);
    const auto two = columnsOf(line, {zero, zero + 8 * kMillisecond}, 2);
    EXPECT_EQ(two[0]->least, 0);
    EXPECT_EQ(two[0]->most, 1400);
    EXPECT_FALSE(two[1]);
}

} // namespace
} // namespace ringside::timeline
