// SPDX-License-Identifier: Apache-2.0
// Samples as lines: units, rates of counters, gaps, and whose they are.
#include "metrics/compute_metrics.h"
#include "metrics/sampled_lines.h"
#include "model/build_model.h"
#include "report/sampled_table.h"
#include "support/durations.h"
#include "support/trace_builder.h"

#include <gtest/gtest.h>

namespace ringside::metrics {
namespace {

using namespace test;

using ringside::test::kSecond;

TraceBuilder sampledRanks()
{
    TraceBuilder trace(2);
    trace.steps(6, [](StepBuilder& step) {
        step.everyRank().compute(3ms);
        step.rank(1).compute(1ms);
        step.allReduce(4_MiB, {.takes = 1ms});
    });
    return trace;
}

SampledMetric only(const TraceBuilder& trace)
{
    std::vector<SampledMetric> all = sampledMetrics(model::buildModel(trace.run()));
    EXPECT_EQ(all.size(), 1U);
    return all.front();
}

std::vector<std::optional<double>> values(const std::vector<LinePoint>& points)
{
    std::vector<std::optional<double>> result;
    for (const LinePoint& point : points) {
        result.push_back(point.value);
    }
    return result;
}

TEST(SampledLines, GaugesHaveTheirUnitAndTheirRank)
{
    TraceBuilder trace = sampledRanks();
    trace.sample(1, {0, "process", "process", "rss_bytes", "gauge"}, kSecond, 3LL << 30U);
    const SampledMetric metric = only(trace);
    EXPECT_EQ(metric.name(), "process: rss, GiB");
    ASSERT_EQ(metric.lines.size(), 1U);
    EXPECT_EQ(metric.lines[0].rank, std::optional<std::size_t>(1));
    EXPECT_EQ(values(metric.lines[0].points), (std::vector<std::optional<double>>{3.0}));
}

TEST(SampledLines, UnitsAreThoseOfTheListOfSeries)
{
    const auto unitOf = [](const trace::SeriesSource& source, const trace::SeriesMetric& metric,
                           const trace::SeriesKindName& kind) {
        TraceBuilder trace = sampledRanks();
        trace.sample(0, {0, source, "machine", metric, kind}, 0, 1);
        const SampledMetric shown = only(trace);
        return std::pair(shown.unit, shown.name());
    };
    using Shown = std::pair<std::string, std::string>;
    EXPECT_EQ(unitOf("machine", "cpu_busy_ms", "counter"), Shown("s per s", "machine: cpu busy, s per s"));
    EXPECT_EQ(unitOf("tcp", "delivery_bytes_per_s", "gauge"), Shown("GB/s", "tcp: delivery, GB/s"));
    EXPECT_EQ(unitOf("machine", "load_1min_hundredths", "gauge"), Shown("", "machine: load 1min"));
    EXPECT_EQ(unitOf(trace::SeriesSource::stored("of another tool"), trace::SeriesMetric::stored("idle_ms"),
                     "counter"),
              Shown("s per s", "of another tool: idle, s per s"))
        << "by its name";
}

TEST(SampledLines, EverySeriesOfTheListIsDrawn)
{
    TraceBuilder trace = sampledRanks();
    for (const trace::SeriesEntry& series : trace::kSeries) {
        const trace::SeriesRow row = trace::seriesRow(series.name, 0, "entity");
        trace.sample(0, row, kSecond, 1);
        trace.sample(0, row, 2 * kSecond, 2);
    }
    const std::vector<SampledMetric> all = sampledMetrics(model::buildModel(trace.run()));
    EXPECT_EQ(all.size(), trace::kSeries.size());
    for (const SampledMetric& metric : all) {
        EXPECT_TRUE(metric.isMeasured()) << metric.name();
    }
}

TEST(SampledLines, CountersAreRates)
{
    TraceBuilder trace = sampledRanks();
    for (const auto& [second, value] :
         {std::pair(1, 100LL), std::pair(2, 100LL), std::pair(4, 4'000'000'100LL)}) {
        trace.sample(0, {0, "rdma", "mlx5_0:1", "tx_bytes", "counter"}, second * kSecond, value);
    }
    const SampledMetric metric = only(trace);
    EXPECT_EQ(metric.unit, "GB/s");
    EXPECT_TRUE(isOfLink(metric));
    EXPECT_FALSE(metric.lines[0].rank) << "a port is the host's";
    EXPECT_EQ(values(metric.lines[0].points), (std::vector<std::optional<double>>{0.0, 2.0}));
}

TEST(SampledLines, WhereNothingWasSampledIsAGap)
{
    TraceBuilder trace = sampledRanks();
    for (const int second : {1, 2, 3, 20, 21}) {
        trace.sample(0, {0, "process", "process", "threads", "gauge"}, second * kSecond, second);
        trace.sample(0, {0, "process", "process", "major_faults", "counter"}, second * kSecond,
                     second == 21 ? 0 : 5);
    }
    const std::vector<SampledMetric> all = sampledMetrics(model::buildModel(trace.run()));
    EXPECT_EQ(values(all[0].lines[0].points),
              (std::vector<std::optional<double>>{1.0, 2.0, 3.0, std::nullopt, 20.0, 21.0}));
    EXPECT_EQ(values(all[1].lines[0].points),
              (std::vector<std::optional<double>>{0.0, 0.0, std::nullopt, std::nullopt}))
        << "a gap, then a counter that began anew";
}

TEST(SampledLines, MissingValuesHaveAReason)
{
    TraceBuilder trace = sampledRanks();
    const trace::StringId why = trace.text(0, "Not Supported");
    trace.process(0).series.push_back({7, "nvml", "gpu0", "power_mw", "gauge", why});
    const model::Model model = model::buildModel(trace.run());
    const SampledMetric metric = sampledMetrics(model).front();
    EXPECT_FALSE(metric.isMeasured());
    const document::Table table = report::sampledTable(model, metric);
    EXPECT_EQ(document::cellText(table.rows[0].front()), "rank 0, gpu0");
    EXPECT_EQ(document::cellText(table.rows[0].back()), "Not Supported");
    EXPECT_EQ(document::cellText(table.rows[0][2]), "-");
}

TEST(SampledLines, AHostsCounterIsOneLineWhicheverProcessSampledIt)
{
    TraceBuilder trace = sampledRanks();
    trace.sample(0, {0, "network", "eth0", "rx_errors", "gauge"}, 1 * kSecond, 1);
    trace.sample(1, {0, "network", "eth0", "rx_errors", "gauge"}, 2 * kSecond, 2);
    const SampledMetric metric = only(trace);
    ASSERT_EQ(metric.lines.size(), 1U);
    EXPECT_EQ(values(metric.lines[0].points), (std::vector<std::optional<double>>{1.0, std::nullopt, 2.0}));
}

TEST(SampledLines, StepsAreTheSlowestRanks)
{
    const model::Model model = model::buildModel(sampledRanks().run());
    const RunMetrics metrics = computeMetrics(model);
    const std::vector<LinePoint> line = stepTimeLine(model, metrics);
    ASSERT_EQ(line.size(), metrics.stepCount());
    const auto slowest = std::max(metrics.ranks[0].steps[0].stepNs, metrics.ranks[1].steps[0].stepNs);
    EXPECT_DOUBLE_EQ(line[0].value.value_or(0), static_cast<double>(slowest) / 1e6);
}

} // namespace
} // namespace ringside::metrics
