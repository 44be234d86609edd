// SPDX-License-Identifier: GPL-3.0-or-later
#include "fixture.h"

#include "report/document.h"
#include "support/trace_builder.h"

#include <QCoreApplication>
#include <QStandardPaths>

#include <fmt/format.h>

#include <algorithm>

namespace ringside::gui::test {
namespace {

using namespace std::chrono_literals;
using ringside::test::operator""_MiB;
using ringside::test::StepBuilder;
using ringside::test::TraceBuilder;

TraceBuilder lateRank(int steps)
{
    TraceBuilder builder(4);
    builder.host(2, "node1").host(3, "node1");
    builder.setting("environment", "NCCL_DEBUG", "INFO");
    builder.steps(steps, [](StepBuilder& step) {
        step.everyRank().host(300us, "data").copy(4_MiB, 200us).compute(6ms, {.launches = 4});
        step.rank(2).compute(5ms);
        step.allReduce(8_MiB, {.takes = 2ms});
    });
    return builder;
}

/// What `rank` sends to the next one: 100 MB a second, for so many ms of it under way.
void sendOverTcp(TraceBuilder& builder, int rank, std::int64_t busyMs)
{
    constexpr std::int64_t kSecond = 1'000'000'000;
    constexpr std::int64_t kMegabytes = 100'000'000;
    const auto address = [](int of) { return fmt::format("10.0.{}.{}", of / 100, of % 100); };
    const std::string entity = address(rank) + " > " + address((rank + 1) % builder.ranks());
    for (int second = 0; second <= 5; ++second) {
        const auto add = [&](const trace::SeriesMetric& metric, std::int64_t value) {
            builder.sample(rank, {0, "tcp", entity, metric, "counter"}, second * kSecond, value);
        };
        add("tx_bytes", second * kMegabytes);
        add("busy_us", second * busyMs * 1000);
    }
}

TraceBuilder hostsInRing(int hosts)
{
    TraceBuilder builder(hosts);
    for (int rank = 0; rank < hosts; ++rank) {
        builder.host(rank, fmt::format("node{:03}", rank));
    }
    builder.steps(12, [](StepBuilder& step) {
        step.everyRank().compute(3ms);
        step.allReduce(4_MiB, {.takes = 20ms});
    });
    for (int rank = 0; rank < hosts; ++rank) {
        sendOverTcp(builder, rank, rank + 1 == hosts ? 900 : 100);
    }
    constexpr std::int64_t kSecond = 1'000'000'000;
    for (std::int64_t second = 0; second < 6; ++second) {
        builder.sample(0, {0, "rdma", "mlx5_0:1", "tx_bytes", "counter"}, second * kSecond, second * 1000);
    }
    builder.sample(0, {0, "rdma", "mlx5_1:1", "tx_bytes", "counter"}, 1, 1000);
    return builder;
}

Session sessionOf(const char* path, trace::RunTrace run)
{
    Session session;
    session.paths = {path};
    session.report = std::make_shared<const report::Report>(report::buildReport(std::move(run), {}));
    session.document = std::make_shared<const document::Document>(report::documentOf(*session.report));
    session.timeline =
        std::make_shared<const timeline::Timeline>(timeline::buildTimeline(session.report->model));
    return session;
}

} // namespace

Session lateRankSession()
{
    return sessionOf("late.ringside", lateRank(12).run());
}

Session rangesSession()
{
    TraceBuilder builder = lateRank(12);
    for (int rank = 0; rank < builder.ranks(); ++rank) {
        trace::ProcessTrace& process = builder.process(rank);
        trace::RangeRow row;
        row.name = builder.text(rank, "forward and backward");
        row.startNs = process.launches.startNs[0];
        row.endNs = process.launches.endNs[process.launches.size() - 1];
        row.thread = process.threads.front().id;
        process.ranges.push_back(row);
    }
    return sessionOf("ranges.ringside", builder.run());
}

Session partlyRecordedSession()
{
    TraceBuilder builder = lateRank(12);
    for (int rank = 0; rank < builder.ranks(); ++rank) {
        trace::ProcessTrace& process = builder.process(rank);
        const std::int64_t begin = process.process.startNs;
        const std::int64_t end = *std::ranges::max_element(process.kernels.endNs);
        process.windows = {{trace::LevelName("standard"), begin, end, "", {}},
                           {trace::LevelName("light"), end, std::nullopt, "", {}}};
        trace::RangeRow later;
        later.name = builder.text(rank, "not recorded on the GPU");
        later.startNs = end;
        later.endNs = end + (end - begin);
        later.thread = process.threads.front().id;
        process.ranges.push_back(later);
    }
    return sessionOf("partly.ringside", builder.run());
}

std::filesystem::path writeLateRankRun(const std::filesystem::path& folder, int steps)
{
    std::filesystem::path run = folder / "late.ringside";
    lateRank(steps).write(run);
    return run;
}

Session hostOnlySession()
{
    TraceBuilder builder(1);
    builder.withoutDeviceTier("no CUPTI here").steps(6, [](StepBuilder& step) {
        step.everyRank().host(1ms, "data").compute(3ms);
    });
    return sessionOf("host.ringside", builder.run());
}

Session sampledSession()
{
    TraceBuilder builder(2);
    builder.steps(60, [](StepBuilder& step) {
        step.everyRank().compute(8ms);
        step.allReduce(8_MiB, {.takes = 1ms});
    });
    constexpr std::int64_t kMillisecond = 1'000'000;
    const trace::SeriesRow warm{0, "nvml", "gpu0", "temperature_celsius", "gauge", 0};
    const trace::SeriesRow sent{0, "network", "eth0", "tx_bytes", "counter", 0};
    for (std::int64_t i = 0; i < 60; ++i) {
        for (const int rank : {0, 1}) {
            const std::int64_t time = builder.process(rank).process.startNs + i * 10 * kMillisecond;
            if (i < 20 || i >= 40) {
                builder.sample(rank, warm, time, 50 + i % 10);
            }
            if (rank == 0) {
                builder.sample(rank, sent, time, i * i * 10'000);
            }
        }
    }
    return sessionOf("sampled.ringside", builder.run());
}

Session hostsSession(int hosts)
{
    return sessionOf("hosts.ringside", hostsInRing(hosts).run());
}

std::filesystem::path writeHostsRun(const std::filesystem::path& folder, int hosts)
{
    std::filesystem::path run = folder / fmt::format("hosts{}.ringside", hosts);
    hostsInRing(hosts).write(run);
    return run;
}

void useOwnSettings()
{
    QCoreApplication::setOrganizationName(QStringLiteral("ringside-tests"));
    QCoreApplication::setApplicationName(
        QStringLiteral("ringside-tests-%1").arg(QCoreApplication::applicationPid()));
    QStandardPaths::setTestModeEnabled(true);
}

} // namespace ringside::gui::test
