// SPDX-License-Identifier: Apache-2.0
// What the ranks did inside one collective: the last arrival first, waiting until it came, and NCCL's own
// phases and the copies of the GPU where they were recorded.
#include "report/report.h"
#include "support/trace_builder.h"
#include "timeline/collective_lanes.h"

#include <gtest/gtest.h>

namespace ringside::timeline {
namespace {

using namespace test;
using document::Shade;
using Kind = CollectiveLane::Kind;

constexpr std::int64_t kMs = 1'000'000;

/// Rank 2 computes for 5 ms more than the others and comes last to each all-reduce.
TraceBuilder lateTrace()
{
    TraceBuilder trace(4);
    trace.steps(6, [](StepBuilder& step) {
        step.everyRank().compute(6ms);
        step.rank(2).compute(5ms);
        step.allReduce(8_MiB, {.takes = 2ms});
    });
    return trace;
}

struct Inside {
    explicit Inside(trace::RunTrace run)
        : report(report::buildReport(std::move(run), {}))
        , timeline(buildTimeline(report.model))
        , lanes(lanesOf(report.model, timeline, 3))
    {}
    report::Report report;
    Timeline timeline;
    CollectiveLanes lanes;
};

std::int64_t timeOf(const CollectiveLane& lane, Shade shade)
{
    std::int64_t sum = 0;
    for (const CollectiveLane::Piece& piece : lane.pieces) {
        sum += piece.shade == shade ? piece.time.length() : 0;
    }
    return sum;
}

TEST(CollectiveLanes, ShowTheLastArrivalFirstAndWhoWaitedForIt)
{
    const Inside inside(lateTrace().run());
    ASSERT_EQ(inside.lanes.lanes.size(), 4U);
    const CollectiveLane& last = inside.lanes.lanes.front();
    EXPECT_EQ(inside.report.model.ranks[last.rank].rank, 2);
    EXPECT_EQ(timeOf(last, Shade::Wait), 0);
    EXPECT_EQ(last.pieces.front().time.start, inside.lanes.lastArrivalNs);
    for (const CollectiveLane& lane : inside.lanes.lanes) {
        EXPECT_EQ(lane.kind, Kind::Rank);
        EXPECT_NEAR(static_cast<double>(timeOf(lane, Shade::Communication)), 2.0 * kMs, 0.01 * kMs);
        EXPECT_EQ(lane.pieces.back().time.end, inside.lanes.time.end);
    }
    EXPECT_NEAR(static_cast<double>(timeOf(inside.lanes.lanes[1], Shade::Wait)), 5.0 * kMs, 0.01 * kMs);
    EXPECT_EQ(inside.lanes.time.length(), timeOf(inside.lanes.lanes.back(), Shade::Wait) +
                                              timeOf(inside.lanes.lanes.back(), Shade::Communication));
}

TEST(CollectiveLanes, HaveThePhasesThatNcclTold)
{
    TraceBuilder trace = lateTrace();
    trace::ProcessTrace& process = trace.process(0);
    for (std::size_t i = 0; i < process.collectiveCalls.size(); ++i) {
        trace::NcclOperationRow row;
        row.id = static_cast<std::int64_t>(i) + 100;
        row.call = process.collectiveCalls[i].id;
        process.ncclOperations.push_back(row);
    }
    const Inside without(trace.run());
    const CollectiveLanes& lanes = without.lanes;
    EXPECT_EQ(lanes.lanes.size(), 4U) << "an operation without phases has no lane for them";

    const auto add = [&](std::uint64_t operation, std::uint32_t phase, std::int64_t from, std::int64_t to) {
        trace::KernelPhaseColumns& phases = process.kernelPhases;
        phases.startNs.push_back(process.process.startNs + from);
        phases.endNs.push_back(process.process.startNs + to);
        phases.operation.push_back(operation);
        phases.channel.push_back(0);
        phases.phase.push_back(phase);
        phases.device.push_back(process.kernels.device[0]);
        phases.uncertaintyNs.push_back(0);
    };
    add(103, trace::kWaitsForAll, 0, 3 * kMs);
    add(103, trace::kWaitsForAll, 1 * kMs, 4 * kMs); // another channel: both waited for 4 ms together
    add(103, 1, 4 * kMs, 6 * kMs);
    add(103, 2, 6 * kMs, 7 * kMs);
    add(104, trace::kWaitsForAll, 0, 50 * kMs); // of the next collective
    add(103, 9, 0, 50 * kMs);                   // a phase that nobody knows
    const Inside inside(trace.run());
    ASSERT_EQ(inside.lanes.lanes.size(), 5U);
    const auto phases = std::ranges::find(inside.lanes.lanes, Kind::Phases, &CollectiveLane::kind);
    ASSERT_NE(phases, inside.lanes.lanes.end());
    EXPECT_EQ((phases - 1)->rank, phases->rank) << "below its rank";
    EXPECT_EQ(timeOf(*phases, Shade::Wait), 4 * kMs);
    EXPECT_EQ(timeOf(*phases, Shade::Communication), 2 * kMs);
    EXPECT_EQ(timeOf(*phases, Shade::Idle), 1 * kMs);
}

TEST(CollectiveLanes, HaveTheCopiesOfTheGpuMeanwhile)
{
    TraceBuilder trace(2);
    trace.steps(6, [](StepBuilder& step) {
        step.everyRank().copy(4_MiB, 300us).compute(3ms);
        step.allReduce(8_MiB, {.takes = 2ms, .overlapped = true});
        step.rank(1).copy(1_MiB, 500us);
        step.everyRank().waitForCommunication();
    });
    const Inside inside(trace.run());
    const auto copies = std::ranges::find(inside.lanes.lanes, Kind::Copies, &CollectiveLane::kind);
    ASSERT_NE(copies, inside.lanes.lanes.end());
    EXPECT_EQ(inside.report.model.ranks[copies->rank].rank, 1);
    EXPECT_EQ(timeOf(*copies, Shade::Copy), 500'000);
    EXPECT_EQ(std::ranges::count(inside.lanes.lanes, Kind::Copies, &CollectiveLane::kind), 1)
        << "the copy before the collective is not inside";
}

} // namespace
} // namespace ringside::timeline
