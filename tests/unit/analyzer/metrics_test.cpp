// SPDX-License-Identifier: Apache-2.0
// Figures of runs whose times are known beforehand.
#include "metrics/compute_metrics.h"
#include "metrics/metrics.h"
#include "model/build_model.h"
#include "support/trace_builder.h"

#include <gtest/gtest.h>

namespace ringside::metrics {
namespace {

using namespace test;

RunMetrics measure(const trace::RunTrace& run)
{
    return computeMetrics(model::buildModel(run));
}

TEST(Idle, APerThreadDefaultStreamBlocksAsWell)
{
    EXPECT_TRUE(isBlockingCall("cudaMemcpy_ptds"));
    EXPECT_TRUE(isBlockingCall("cudaStreamSynchronize_ptsz"));
    EXPECT_FALSE(isBlockingCall("cudaMemcpyAsync_ptsz"));
}

// What collector/python/ringside/__init__.py calls the waiting of a loop for its next batch.
TEST(Idle, ThePythonModulesWaitsAreDataLoading)
{
    EXPECT_TRUE(isDataLoadingRange("data loading"));
}

TEST(Metrics, WaitAndTransferOfALateRank)
{
    TraceBuilder trace(4);
    trace.steps(10, [](StepBuilder& step) {
        step.everyRank().compute(3ms);
        step.rank(2).compute(2ms);
        step.allReduce(4_MiB, {.takes = 1ms});
    });
    const RunMetrics run = measure(trace.run());
    ASSERT_EQ(run.ranks.size(), 4U);
    for (const RankMetrics& rank : run.ranks) {
        const bool late = rank.rank == 2;
        EXPECT_EQ(rank.median.transferNs, 1'000'000);
        EXPECT_NEAR(static_cast<double>(rank.median.waitNs), late ? 0 : 2e6, 1e4);
        EXPECT_EQ(rank.lastArrivals, late ? 8 : 0);
        EXPECT_NEAR(static_cast<double>(rank.lostNs), late ? 8 * 2e6 : 0, 1e5);
        EXPECT_EQ(rank.median.communicationNs, rank.median.waitNs + rank.median.transferNs);
    }
    ASSERT_TRUE(run.usefulUtilization && run.utilization);
    EXPECT_GT(run.usefulUtilization->spread, run.utilization->spread + 0.2)
        << "waiting looks busy, but is not useful";
}

/// By turns another rank is a little later: by 400 ns, which the clocks of some GPUs cannot tell.
TEST(Metrics, NobodyIsLateByLessThanClocksTell)
{
    for (const auto& [later, isLate] : {std::pair(400ns, false), std::pair(400'000ns, true)}) {
        TraceBuilder trace(4);
        trace.steps(10, [later = later](StepBuilder& step) {
            step.everyRank().compute(3ms);
            step.rank(static_cast<int>(step.number() % 4)).compute(later);
            step.allReduce(4_MiB, {.takes = 1ms});
        });
        const RunMetrics run = measure(trace.run());
        ASSERT_EQ(run.arrived.size(), 8U);
        std::int64_t last = 0;
        for (const RankMetrics& rank : run.ranks) {
            last += rank.lastArrivals;
            EXPECT_EQ(rank.lostNs > 0, isLate);
        }
        EXPECT_EQ(last, isLate ? 8 : 0);
    }
}

TEST(TimedCalls, GiveWaitTransferAndBandwidthWithoutKernels)
{
    TraceBuilder trace(4);
    trace.withCudaEvents().steps(10, [](StepBuilder& step) {
        step.everyRank().compute(3ms);
        step.rank(2).compute(2ms);
        step.allReduce(4_MiB, {.takes = 1ms});
    });
    const RunMetrics run = measure(trace.run());
    EXPECT_TRUE(run.ranks.empty()) << "there is no breakdown";
    EXPECT_FALSE(run.utilization || run.ratio || run.communicationShare);
    ASSERT_EQ(run.timed.ranks.size(), 4U);
    EXPECT_EQ(run.timed.steps, (std::vector<std::int64_t>{2, 3, 4, 5, 6, 7, 8, 9}));
    for (const TimedRank& rank : run.timed.ranks) {
        const bool late = rank.rank == 2;
        EXPECT_EQ(rank.transferNs, 8 * 1'000'000);
        EXPECT_NEAR(static_cast<double>(rank.waitNs), late ? 0 : 8 * 2e6, 1e5);
        EXPECT_EQ(rank.lastArrivals, late ? 8 : 0);
        EXPECT_EQ(rank.communicationNs, rank.waitNs + rank.transferNs);
    }
    ASSERT_EQ(run.collectives.size(), 1U);
    EXPECT_EQ(run.collectives[0].transferNs, 1'000'000);
    EXPECT_FALSE(run.collectivesOfWholeRun);
    EXPECT_NEAR(static_cast<double>(run.stepNs()), 6e6, 1e5) << "on the host, which waits for the device";
}

TEST(TimedCalls, OfAGroupAreThoseOfItsStreams)
{
    TraceBuilder trace(2);
    trace.withCudaEvents().steps(6, [](StepBuilder& step) { step.allReduce(1_MiB, {.takes = 1ms}); });
    for (int rank = 0; rank < 2; ++rank) {
        trace::ProcessTrace& process = trace.process(rank);
        for (trace::CollectiveCallRow& call : process.collectiveCalls) {
            call.groupId = call.id + 1000;
        }
        process.eventTimes.call.shift(1000);
    }
    EXPECT_EQ(measure(trace.run()).timed.arrived.size(), 4U) << "six steps without the edges";
}

TEST(TimedCalls, AreNotTakenForKernelsWhereThereAreSome)
{
    TraceBuilder trace(2);
    trace.steps(6, [](StepBuilder& step) { step.allReduce(1_MiB, {.takes = 1ms}); });
    trace::EventTimeColumns& times = trace.process(0).eventTimes;
    times = {{0}, {1}, {1}, {0}, {2}, {0}};
    const RunMetrics run = measure(trace.run());
    EXPECT_TRUE(run.timed.ranks.empty());
    EXPECT_EQ(run.ranks.size(), 2U);
}

TEST(Metrics, PartsSumToTheStepToTheNanosecond)
{
    TraceBuilder trace(3);
    trace.steps(9, [](StepBuilder& step) {
        step.everyRank().host(1ms, "data").copy(1_MiB, 300us).compute(7ms + nanoseconds(13 * step.number()));
        step.rank(1).compute(777us);
        step.allReduce(4_MiB, {.takes = 2ms, .overlapped = true});
        step.everyRank().compute(1ms).waitForCommunication().compute(111us);
    });
    for (const RankMetrics& rank : measure(trace.run()).ranks) {
        for (const Breakdown& step : rank.steps) {
            EXPECT_EQ(step.computeNs + step.exposedCommunicationNs + step.exposedCopyNs + step.idleNs,
                      step.stepNs);
            EXPECT_EQ(step.overlapNs + step.exposedCommunicationNs, step.communicationNs);
            EXPECT_GT(step.overlapNs, 0);
        }
        std::int64_t idle = 0;
        for (const std::int64_t part : rank.idle.ns) {
            idle += part;
        }
        EXPECT_EQ(idle, rank.total.idleNs) << "idle classes divide idle time exactly";
    }
}

TEST(Metrics, WaitingDelaysWhatIsQueuedBehindIt)
{
    // The wait is hidden by compute, but the two reductions queued behind it end that much later, exposed.
    TraceBuilder trace(4);
    trace.steps(10, [](StepBuilder& step) {
        step.everyRank().compute(3ms);
        step.rank(2).compute(2ms);
        for (int i = 0; i < 3; ++i) {
            step.allReduce(4_MiB, {.takes = 3ms, .overlapped = true});
        }
        step.everyRank().compute(4ms).waitForCommunication();
    });
    for (const RankMetrics& rank : measure(trace.run()).ranks) {
        const bool late = rank.rank == 2;
        EXPECT_NEAR(static_cast<double>(rank.median.exposedWaitNs), 0, 1e5);
        EXPECT_NEAR(static_cast<double>(rank.median.waitDelayNs), late ? 0 : 2e6, 1e5);
    }
}

TEST(Metrics, WaitingThatASlackAbsorbsDelaysNothing)
{
    // After the wait the stream pauses until the next gradients are there: the exposed tail owes nothing to
    // it.
    TraceBuilder trace(4);
    trace.steps(10, [](StepBuilder& step) {
        step.everyRank().compute(3ms);
        step.rank(2).compute(1ms);
        step.allReduce(4_MiB, {.takes = 1ms, .overlapped = true});
        step.everyRank().compute(9ms);
        step.rank(0).compute(1ms);
        step.rank(1).compute(1ms);
        step.rank(3).compute(1ms);
        step.allReduce(4_MiB, {.takes = 3ms});
    });
    for (const RankMetrics& rank : measure(trace.run()).ranks) {
        EXPECT_NEAR(static_cast<double>(rank.median.waitDelayNs), 0, 1e5);
        EXPECT_GT(rank.median.exposedCommunicationNs, 2'900'000);
    }
}

TEST(Metrics, NotMeasuredIsNull)
{
    TraceBuilder trace(2);
    trace.withoutDeviceTier("profile light").steps(10, [](StepBuilder& step) { step.allReduce(1_MiB); });
    const RunMetrics run = measure(trace.run());
    EXPECT_TRUE(run.ranks.empty());
    EXPECT_FALSE(run.utilization);
    EXPECT_FALSE(run.ratio);
    EXPECT_FALSE(run.arrivalsMeasured());
    EXPECT_TRUE(run.stepMedianNs) << "step times are known from the host";
    ASSERT_FALSE(run.collectives.empty());
    EXPECT_FALSE(run.collectives[0].transferBusGBs);
}

TEST(Metrics, WithoutStepsCollectivesAreThoseOfTheWholeRun)
{
    TraceBuilder trace(2);
    trace.steps(1, [](StepBuilder& step) {
        step.allReduce(1_MiB);
        step.allReduce(2_MiB);
    });
    for (const int rank : {0, 1}) {
        trace.process(rank).steps.clear();
    }
    const RunMetrics run = measure(trace.run());
    EXPECT_TRUE(run.collectivesOfWholeRun);
    ASSERT_EQ(run.collectives.size(), 2U);
    for (const CollectiveGroup& group : run.collectives) {
        ASSERT_TRUE(group.kernelNs && group.kernelBusGBs && group.bytes);
        // Of two ranks the bus bandwidth of an all-reduce is its size over its time.
        EXPECT_DOUBLE_EQ(*group.kernelBusGBs,
                         static_cast<double>(*group.bytes) / static_cast<double>(*group.kernelNs));
    }
}

TEST(Metrics, AKilledProcessIsTheRanksOfItsLargestCommunicator)
{
    TraceBuilder trace(1);
    trace.steps(6, [](StepBuilder& step) { step.everyRank().compute(2ms); });
    trace::ProcessTrace& process = trace.process(0);
    process.ranks.clear();
    const auto member = [](std::uint64_t hash, std::int64_t size, std::int64_t rank) {
        trace::CommunicatorRow row;
        row.hash = hash;
        row.size = size;
        row.rank = rank;
        row.device = rank;
        return row;
    };
    process.communicators = {member(7, 4, 2), member(7, 4, 3), member(9, 2, 0)};
    EXPECT_EQ(model::buildModel(trace.run()).ranks.size(), 2U);
    // Without a hash two of one size need not be the same one.
    process.communicators = {member(0, 4, 2), member(0, 4, 3)};
    const model::Model model = model::buildModel(trace.run());
    ASSERT_EQ(model.ranks.size(), 1U);
    EXPECT_EQ(model.ranks[0].rank, 2);
}

TEST(Metrics, ProcessesThatHoldSeveralRanksAreTakenApartByDevice)
{
    TraceBuilder trace(1);
    trace.steps(6, [](StepBuilder& step) { step.everyRank().compute(2ms); });
    trace::ProcessTrace& process = trace.process(0);
    process.ranks = {{0, 0, 2, 0, 0, "communicator"}, {1, 1, 2, 1, 0, "communicator"}};
    const std::size_t kernels = process.kernels.size();
    for (std::size_t i = 0; i < kernels; ++i) {
        process.kernels.device.set(i, static_cast<std::uint32_t>(i % 2));
    }
    const model::Model model = model::buildModel(trace.run());
    ASSERT_EQ(model.ranks.size(), 2U);
    const DeviceWork work(model, model.ranks[1]);
    ASSERT_EQ(work.lanes()[kCompute].size(), 1U);
    EXPECT_EQ(work.lanes()[kCompute][0].count, kernels / 2);
}

TEST(Idle, IsCalledWhatTheHostDid)
{
    TraceBuilder trace(1);
    trace.steps(
        10, [](StepBuilder& step) { step.everyRank().host(3ms, "dataloader").hostIdle(1ms).compute(5ms); });
    const RunMetrics run = measure(trace.run());
    ASSERT_EQ(run.ranks.size(), 1U);
    const auto perStep = [&](IdleClass kind) {
        return static_cast<double>(run.ranks[0].idle.of(kind)) /
               static_cast<double>(run.ranks[0].steps.size());
    };
    EXPECT_NEAR(perStep(IdleClass::DataLoading), 3e6, 1e4);
    EXPECT_NEAR(perStep(IdleClass::Synchronization), 1e6, 1e5);
    EXPECT_EQ(run.ranks[0].idle.biggest(), IdleClass::DataLoading);
}

/// Kernels start long after their launch, and nothing that was recorded runs before them: they wait in a
/// queue behind something else. The host is not slow.
TEST(Idle, IsNotTheLaunchIfWorkWaitsInTheQueue)
{
    TraceBuilder trace(1);
    trace.steps(10, [](StepBuilder& step) { step.everyRank().compute(1ms, {.launches = 4}).hostIdle(8ms); });
    trace::ProcessTrace& process = trace.process(0);
    for (std::size_t i = 0; i < process.kernels.size(); ++i) {
        process.kernels.startNs.set(i, process.kernels.startNs[i] + 6'000'000);
        process.kernels.endNs.set(i, process.kernels.endNs[i] + 6'000'000);
    }
    const IdleTimes idle = measure(trace.run()).ranks.at(0).idle;
    EXPECT_EQ(idle.biggest(), IdleClass::DependencyWait);
    EXPECT_LT(idle.of(IdleClass::LaunchLatency), idle.of(IdleClass::DependencyWait) / 10);
}

/// A GPU needs 1 to 2 us from kernel to kernel. With kernels of a few us that is a good part of the time, and
/// nothing else is missing.
TEST(Idle, IsBetweenKernelsThatFollowEachOther)
{
    TraceBuilder trace(1);
    trace.steps(10, [](StepBuilder& step) { step.everyRank().compute(800us, {.launches = 100}); });
    trace::ProcessTrace& process = trace.process(0);
    for (std::size_t i = 0; i < process.kernels.size(); ++i) {
        process.kernels.endNs.set(i, process.kernels.endNs[i] - 1'500);
    }
    for (std::size_t i = 0; i < process.launches.size(); ++i) {
        process.launches.startNs.set(i, process.launches.startNs[i] - 2'000'000);
        process.launches.endNs.set(i, process.launches.endNs[i] - 2'000'000);
    }
    const IdleTimes idle = measure(trace.run()).ranks.at(0).idle;
    EXPECT_EQ(idle.biggest(), IdleClass::BetweenKernels);
    EXPECT_LT(idle.of(IdleClass::DependencyWait), idle.of(IdleClass::BetweenKernels) / 10);
}

/// A call that launches for long, as that of a large CUDA graph does, is the host's.
TEST(Idle, IsTheLaunchWhileTheCallLasts)
{
    TraceBuilder trace(1);
    trace.steps(10, [](StepBuilder& step) { step.everyRank().compute(1ms).hostIdle(5ms); });
    trace::ProcessTrace& process = trace.process(0);
    for (std::size_t i = 0; i < process.launches.size(); ++i) {
        process.launches.startNs.set(i, process.launches.startNs[i] - 4'000'000);
    }
    const IdleTimes idle = measure(trace.run()).ranks.at(0).idle;
    EXPECT_EQ(idle.biggest(), IdleClass::LaunchLatency);
    EXPECT_EQ(idle.of(IdleClass::DependencyWait), 0);
}

/// Kernels on one stream overlap: compute is the time in which any ran, and the report says so.
TEST(Metrics, KernelsThatOverlapOnAStreamCountOnce)
{
    TraceBuilder trace(1);
    trace.steps(8, [](StepBuilder& step) { step.everyRank().compute(4ms, {.launches = 4}); });
    trace::ProcessTrace& process = trace.process(0);
    for (std::size_t i = 0; i < process.kernels.size(); ++i) {
        process.kernels.endNs.set(i, process.kernels.endNs[i] + 900'000);
    }
    const model::Model model = model::buildModel(trace.run());
    const RunMetrics run = computeMetrics(model);
    EXPECT_LE(run.ranks.at(0).total.computeNs, run.ranks.at(0).total.stepNs);
    const auto issue = std::ranges::find_if(
        model.issues, [](const trace::IssueRow& row) { return row.is(trace::Issue::StreamOverlap); });
    ASSERT_NE(issue, model.issues.end());
    EXPECT_GE(issue->count, 8 * 3);
}

/// Ends that should coincide are far apart, so that the clocks are less exact than arrivals differ: waiting
/// and useful time are not judged.
TEST(Metrics, NothingThatRestsOnArrivalsIsJudgedBelowTheClocksError)
{
    for (const bool exact : {true, false}) {
        TraceBuilder trace(2);
        trace.host(1, "other");
        trace.steps(20, [](StepBuilder& step) {
            step.everyRank().compute(3ms);
            step.rank(1).compute(100us);
            step.allReduce(4_MiB, {.takes = 1ms});
        });
        trace::ProcessTrace& process = trace.process(1);
        for (std::size_t i = 1; !exact && i < process.kernels.size(); i += 2) { // the all-reduces
            process.kernels.endNs.set(i, process.kernels.endNs[i] +
                                             static_cast<std::int64_t>(i / 2 % 3) * 700'000);
        }
        const RunMetrics run = measure(trace.run());
        EXPECT_TRUE(run.arrivalsMeasured());
        EXPECT_EQ(run.waitsKnown(), exact);
        EXPECT_EQ(run.usefulUtilization.has_value(), exact);
    }
}

TEST(Bandwidth, IsWhatNcclTestsCallsIt)
{
    using model::CollectiveKind;
    EXPECT_DOUBLE_EQ(busFactor(CollectiveKind::AllReduce, 4), 1.5);
    EXPECT_DOUBLE_EQ(busFactor(CollectiveKind::AllGather, 4), 0.75);
    EXPECT_DOUBLE_EQ(busFactor(CollectiveKind::Broadcast, 4), 1.0);
    EXPECT_DOUBLE_EQ(algorithmBytes(CollectiveKind::AllReduce, 100, 4), 100);
    EXPECT_DOUBLE_EQ(algorithmBytes(CollectiveKind::ReduceScatter, 100, 4), 400)
        << "NCCL's count is a rank's part";
}

TEST(FitLatency, SeparatesLatencyFromBandwidth)
{
    const auto fit = fitLatency({{1e6, 50'000 + 1e5, 10}, {4e6, 50'000 + 4e5, 10}, {2e6, 50'000 + 2e5, 3}});
    ASSERT_TRUE(fit);
    EXPECT_NEAR(fit->latencyNs, 50'000, 1);
    EXPECT_NEAR(fit->halfPeakBytes(), 5e5, 10);
    EXPECT_FALSE(fitLatency({{1e6, 100, 1}, {1.5e6, 110, 1}})) << "sizes too close together";
    EXPECT_FALSE(fitLatency({{1e6, 100, 1}, {8e6, 90, 1}})) << "larger and faster is no line";
    EXPECT_FALSE(fitLatency({}));
}

} // namespace
} // namespace ringside::metrics
