// SPDX-License-Identifier: Apache-2.0
// Attribution of lost time: ranks that are late together and their causes, the synchronisation that prevents
// communication from overlapping, and the thread to which waiting belongs.
#include "finding_of.h"
#include "metrics/compute_metrics.h"
#include "metrics/lateness.h"
#include "model/build_model.h"
#include "report/replayed_costs.h"
#include "report/report.h"
#include "rules/shared/support.h"
#include "support/said.h"
#include "support/trace_builder.h"
#include "whatif/whatif.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace {

using namespace ringside;
using namespace ringside::test;
using metrics::LateCause;

constexpr int kSteps = 20;

std::string firstOf(const report::Report& report)
{
    return report.findings.empty() ? std::string() : report.findings.front().rule;
}

/// Rank 1 takes longer on its device, by compute.
TraceBuilder computingLonger()
{
    TraceBuilder trace(4);
    trace.steps(kSteps, [](StepBuilder& step) {
        step.everyRank().compute(10ms);
        step.rank(1).compute(6ms);
        step.allReduce(4_MiB, {.takes = 1ms});
    });
    return trace;
}

/// Ten values in the middle of a rank's kernels.
void sample(TraceBuilder& trace, int rank, const trace::SeriesRow& series,
            const std::function<std::int64_t(int)>& value)
{
    const auto& kernels = trace.process(rank).kernels;
    const std::int64_t start = kernels.startNs[0];
    const std::int64_t length = kernels.endNs[kernels.size() - 1] - start;
    for (int i = 0; i < 10; ++i) {
        trace.sample(rank, series, start + length * (i + 5) / 20, value(i));
    }
}

std::optional<metrics::Lateness> findLateCause(const TraceBuilder& trace, std::size_t rank)
{
    const model::Model model = model::buildModel(trace.run());
    return metrics::findLateCause(model, metrics::computeMetrics(model), {rank});
}

TEST(Attribution, RanksThatAreLateTogetherAreNamedTogether)
{
    TraceBuilder trace(6);
    trace.steps(kSteps, [](StepBuilder& step) {
        step.everyRank().compute(10ms);
        for (const int rank : {1, 4}) {
            step.rank(rank).compute(6ms + 10us * ((step.number() + rank) % 3));
        }
        step.allReduce(4_MiB, {.takes = 1ms});
    });
    const report::Report report = report::buildReport(trace.run(), {});
    const rules::Finding* const finding = find(report, "late_rank");
    ASSERT_NE(finding, nullptr);
    EXPECT_EQ(finding->ranks, (std::vector<std::int64_t>{1, 4}));
    EXPECT_NE(said(finding->title).find("Ranks 1 and 4 come last"), std::string::npos)
        << said(finding->title);
    EXPECT_NEAR(static_cast<double>(finding->costNsPerStep.value_or(0)), 6e6, 5e5);
    EXPECT_EQ(firstOf(report), "late_rank");
}

/// Of a ring rank 3 is slow, so that a collective ends later for itself and its neighbour, rank 0, than for
/// the others: their next ones start later, too.
trace::RunTrace withSlowRankInRing()
{
    constexpr std::int64_t kLaterNs = 3'000'000;
    TraceBuilder trace(4);
    trace.steps(kSteps, [](StepBuilder& step) {
        step.everyRank().compute(10ms);
        step.rank(3).compute(6ms);
        step.allReduce(4_MiB, {.takes = 1ms, .overlapped = true});
        step.allReduce(8_MiB, {.takes = 5ms, .overlapped = true});
        step.everyRank().waitForCommunication();
    });
    trace::RunTrace run = trace.run();
    for (const std::size_t rank : {0U, 3U}) {
        auto& kernels = run.processes[rank].kernels;
        const std::uint32_t communication = kernels.stream[kernels.size() - 1];
        std::size_t collective = 0;
        for (std::size_t row = 0; row < kernels.size(); ++row) {
            if (kernels.stream[row] == communication) {
                auto& edge = collective++ % 2 == 0 ? kernels.endNs : kernels.startNs;
                edge.set(row, edge[row] + kLaterNs);
            }
        }
    }
    return run;
}

TEST(Attribution, ARankBehindALongerCollectiveIsNotLate)
{
    const report::Report report = report::buildReport(withSlowRankInRing(), {});
    ASSERT_NE(find(report, "late_rank"), nullptr);
    for (const rules::Finding& finding : report.findings) {
        if (finding.rule == "late_rank") {
            EXPECT_EQ(finding.ranks, std::vector<std::int64_t>{3}) << said(finding.title);
        }
    }
}

TEST(Attribution, StepByStepOnlyLatenessOfItsOwnIsARanks)
{
    const model::Model model = model::buildModel(withSlowRankInRing());
    const metrics::RunMetrics run = metrics::computeMetrics(model);
    const auto late = metrics::latenessBySteps(model, run);
    ASSERT_EQ(late.size(), 4U);
    ASSERT_GT(late[3].size(), 10U);
    for (std::size_t step = 0; step < late[3].size(); ++step) {
        EXPECT_NEAR(static_cast<double>(late[0][step]), 0, 0.1e6) << "rank 3's neighbour";
        EXPECT_NEAR(static_cast<double>(late[3][step]), 6e6, 0.1e6);
        EXPECT_EQ(run.ranks[3].stepLastArrivals[step], 1U) << "its second one is late by what it carries";
    }
    EXPECT_EQ(run.ranks[0].lastArrivals, 0) << "rank 3's neighbour";
}

/// Each all-reduce ends 3 ms later for rank 2, which is therefore late to the next one. In a replay they end
/// for all alike, so that nothing is left that could be as fast as on the others.
report::Report endingLaterForRank2()
{
    TraceBuilder trace(4);
    trace.withoutStepEndSync();
    trace.steps(kSteps, [](StepBuilder& step) {
        step.rank(2).compute(3ms, {.kernel = "ends_later"});
        step.everyRank().compute(10ms);
        step.allReduce(4_MiB, {.takes = 1ms});
    });
    trace::RunTrace run = trace.run();
    trace::ProcessTrace& process = run.processes[2];
    auto& kernels = process.kernels;
    std::size_t collective = kernels.size();
    for (std::size_t row = 0; row < kernels.size(); ++row) {
        const std::string_view name = process.text(kernels.name[row]);
        if (name == "ends_later") {
            if (collective < kernels.size()) {
                kernels.endNs.set(collective, kernels.endNs[row]);
            }
            kernels.startNs.set(row, kernels.endNs[row]);
        }
        collective = name.starts_with("nccl") ? row : collective;
    }
    return report::buildReport(std::move(run), {});
}

TEST(Attribution, WhatOthersWaitForStaysTheCostWhereAReplayDoesNotShowIt)
{
    const report::Report report = endingLaterForRank2();
    const rules::Finding* const finding = find(report, "late_rank");
    ASSERT_NE(finding, nullptr);
    EXPECT_EQ(finding->ranks, std::vector<std::int64_t>{2});
    EXPECT_NEAR(static_cast<double>(finding->costNsPerStep.value_or(0)), 3e6, 0.2e6);
    EXPECT_NE(said(finding->advice).find("The cost is the waiting of the others"), std::string::npos)
        << said(finding->advice);
}

TEST(Attribution, BehindASlowLinkALateRankCostsWhatAReplaySaves)
{
    const auto cost = [](std::int64_t behindLink) {
        report::Report report = endingLaterForRank2();
        report.findings.emplace_back().rule = "slow_link";
        report.findings.back().ranks = {behindLink};
        report::useReplayedCosts(report, {});
        const rules::Finding* const late = find(report, "late_rank");
        return late == nullptr ? -1.0 : static_cast<double>(late->costNsPerStep.value_or(-1));
    };
    EXPECT_NEAR(cost(2), 0, 0.1e6);
    EXPECT_NEAR(cost(1), 3e6, 0.2e6) << "another rank's link";
}

TEST(Attribution, ARankLateByDataComesBeforeTheExposureItCauses)
{
    TraceBuilder trace(4);
    trace.steps(kSteps, [](StepBuilder& step) {
        step.rank(2).host(8ms, "data");
        step.everyRank().compute(10ms);
        step.allReduce(64_MiB, {.takes = 3ms});
    });
    const report::Report report = report::buildReport(trace.run(), {});
    EXPECT_EQ(firstOf(report), "late_rank");
    ASSERT_NE(find(report, "late_rank"), nullptr);
    EXPECT_NE(said(find(report, "late_rank")->title).find("data loading"), std::string::npos)
        << said(find(report, "late_rank")->title);
    const rules::Finding* const stall = find(report, "data_loading_stall");
    ASSERT_NE(stall, nullptr);
    EXPECT_EQ(stall->partOf, std::vector<std::string_view>{"late_rank"}) << "one loss, told once";
    EXPECT_EQ(report.verdict.limitedBy, rules::Limit::LateRank);
    EXPECT_EQ(said(report.verdict.summary).find("Next: GPUs wait for data"), std::string::npos)
        << said(report.verdict.summary);
}

TEST(Attribution, NamesTheSynchronisationThatPreventsOverlap)
{
    TraceBuilder trace(4);
    trace.withoutStepEndSync();
    trace.steps(kSteps, [](StepBuilder& step) {
        for (int bucket = 0; bucket < 4; ++bucket) {
            step.everyRank().compute(5ms);
            step.allReduce(8_MiB, {.takes = 4ms, .overlapped = true});
            step.everyRank().synchronize();
        }
        step.everyRank().waitForCommunication().compute(500us);
    });
    const report::Report report = report::buildReport(trace.run(), {});
    EXPECT_EQ(firstOf(report), "sync_in_loop");
    ASSERT_NE(find(report, "sync_in_loop"), nullptr);
    EXPECT_NE(
        said(find(report, "sync_in_loop")->title).find("cudaDeviceSynchronize, between gradient reductions"),
        std::string::npos)
        << said(find(report, "sync_in_loop")->title);
    // Three of the four reductions run alone; the last has nothing left to hide behind.
    EXPECT_NEAR(static_cast<double>(*find(report, "sync_in_loop")->costNsPerStep), 12e6, 1e6);
    ASSERT_NE(find(report, "exposed_communication"), nullptr);
    EXPECT_NE(said(find(report, "exposed_communication")->advice).find("a blocking call"), std::string::npos)
        << said(find(report, "exposed_communication")->advice);
}

TEST(Attribution, ASynchronisationAtTheStepsEndPreventsNothing)
{
    TraceBuilder trace(4);
    trace.steps(kSteps, [](StepBuilder& step) {
        step.everyRank().compute(5ms);
        step.allReduce(8_MiB, {.takes = 4ms});
    });
    const model::Model model = model::buildModel(trace.run());
    for (const metrics::RankMetrics& rank : metrics::computeMetrics(model).ranks) {
        EXPECT_GT(rank.blocking.count, 0);
        EXPECT_EQ(rank.blocking.overlapLostNs, 0);
    }
}

TEST(Attribution, ExposureBelongsToTheMessageThatCausesIt)
{
    TraceBuilder trace(2);
    trace.withoutStepEndSync();
    trace.steps(kSteps, [](StepBuilder& step) {
        step.everyRank().compute(5ms);
        step.allReduce(4_MiB, {.takes = 2ms, .overlapped = true});
        step.everyRank().compute(5ms);
        step.allReduce(16_MiB, {.takes = 6ms, .overlapped = true});
        step.everyRank().waitForCommunication().compute(1ms);
    });
    const report::Report report = report::buildReport(trace.run(), {});
    const rules::Finding* const finding = find(report, "exposed_communication");
    ASSERT_NE(finding, nullptr);
    EXPECT_NE(said(finding->title)
                  .find("gradient message 2 of 2 (16.00 MiB), which starts when 91 % of the step's "
                        "compute is done"),
              std::string::npos)
        << said(finding->title);
}

TEST(Attribution, ALowerClockExplainsLongerCompute)
{
    TraceBuilder trace = computingLonger();
    EXPECT_EQ(findLateCause(trace, 1).value().cause, LateCause::Compute);
    for (int rank = 0; rank < trace.ranks(); ++rank) {
        sample(trace, rank, {0, "nvml", "gpu0", "sm_clock_mhz", "gauge"},
               [rank](int) { return rank == 1 ? 900 : 1410; });
    }
    EXPECT_EQ(findLateCause(trace, 1).value().cause, LateCause::ThrottledClock);
    const report::Report report = report::buildReport(trace.run(), {});
    EXPECT_NE(said(find(report, "late_rank")->title).find("lower clock"), std::string::npos)
        << said(find(report, "late_rank")->title);
}

TEST(Attribution, WaitingForACpuExplainsALateHost)
{
    TraceBuilder trace(4);
    trace.steps(kSteps, [](StepBuilder& step) {
        step.rank(3).hostIdle(6ms);
        step.everyRank().compute(10ms);
        step.allReduce(4_MiB, {.takes = 1ms});
    });
    // After the step's end it synchronises, so that its host's delay shows as idle time after that call.
    const auto before = findLateCause(trace, 3);
    ASSERT_TRUE(before);
    for (int rank = 0; rank < trace.ranks(); ++rank) {
        sample(trace, rank, {0, "process", "recording threads", "run_delay_ns", "counter"},
               [rank](int i) { return i * (rank == 3 ? 12'000'000LL : 1000LL); });
    }
    const auto after = findLateCause(trace, 3);
    ASSERT_TRUE(after);
    EXPECT_EQ(after->cause, LateCause::CpuContention);
    EXPECT_NE(before->cause, LateCause::CpuContention);
}

/// Rank 3 launches late, or computes longer, in each step; each rank waits for a CPU for `delay` of a step.
report::Report besideOtherWork(bool computes, nanoseconds delay)
{
    TraceBuilder trace(4);
    trace.steps(kSteps, [computes](StepBuilder& step) {
        if (computes) {
            step.rank(3).compute(6ms);
        } else {
            step.rank(3).hostIdle(6ms);
        }
        step.everyRank().compute(10ms);
        step.allReduce(4_MiB, {.takes = 1ms});
    });
    for (int rank = 0; rank < trace.ranks(); ++rank) {
        sample(trace, rank, {0, "process", "recording threads", "run_delay_ns", "counter"},
               [delay](int i) { return i * delay.count() * kSteps / 20; });
    }
    return report::buildReport(trace.run(), {});
}

/// All ranks wait as long for a CPU, so that none stands out by it: who is late changes by chance.
TEST(Attribution, ContentionOfTheHostIsTheCauseOfALateRank)
{
    const report::Report contended = besideOtherWork(false, 10ms);
    ASSERT_NE(find(contended, "late_rank"), nullptr);
    EXPECT_FALSE(find(contended, "late_rank")->cause);
    EXPECT_NE(said(find(contended, "late_rank")->title).find("threads wait for a CPU"), std::string::npos)
        << said(find(contended, "late_rank")->title);
    ASSERT_NE(find(contended, "cpu_contention"), nullptr);
    EXPECT_GT(find(contended, "cpu_contention")->costNsPerStep, 0);
    EXPECT_EQ(contended.verdict.limitedBy, rules::Limit::Host);

    EXPECT_TRUE(find(besideOtherWork(false, 1us), "late_rank")->cause);

    const report::Report longer = besideOtherWork(true, 10ms);
    EXPECT_TRUE(find(longer, "late_rank")->cause) << "kernels do not take longer for want of a CPU";
    EXPECT_NE(longer.verdict.confidence, report::Confidence::High);
}

/// One process of the host samples the machine, in a guest of a hypervisor.
TEST(Attribution, TimeThatAHypervisorTookIsContention)
{
    TraceBuilder trace(2);
    trace.steps(kSteps, [](StepBuilder& step) {
        step.everyRank().hostIdle(6ms);
        step.everyRank().compute(10ms);
        step.allReduce(4_MiB, {.takes = 1ms});
    });
    EXPECT_EQ(find(report::buildReport(trace.run(), {}), "cpu_contention"), nullptr);
    for (const trace::SeriesMetric& metric : std::initializer_list<trace::SeriesMetric>{
             "cpu_busy_ms", "cpu_idle_ms", "cpu_iowait_ms", "cpu_stolen_ms"}) {
        sample(trace, 0, {0, "machine", "machine", metric, "counter"}, [](int i) { return i * 25; });
    }
    const report::Report report = report::buildReport(trace.run(), {});
    const rules::Finding* const finding = find(report, "cpu_contention");
    ASSERT_NE(finding, nullptr);
    EXPECT_EQ(finding->ranks, (std::vector<std::int64_t>{0, 1}));
    EXPECT_NE(said(finding->title).find("hypervisor gives up to 25"), std::string::npos)
        << said(finding->title);
}

/// Both ranks in one process: rank 1 on device 1, by a thread of its own.
trace::RunTrace inOneProcess(TraceBuilder& trace)
{
    constexpr std::uint32_t kApart = 1'000'000;
    trace::RunTrace run = trace.run();
    trace::ProcessTrace& one = run.processes[0];
    trace::ProcessTrace& other = run.processes[1];
    for (std::size_t i = 0; i < other.kernels.size(); ++i) {
        one.kernels.startNs.push_back(other.kernels.startNs[i]);
        one.kernels.endNs.push_back(other.kernels.endNs[i]);
        one.kernels.name.push_back(other.kernels.name[i]);
        one.kernels.device.push_back(1);
        one.kernels.stream.push_back(other.kernels.stream[i]);
        one.kernels.correlation.push_back(other.kernels.correlation[i] + kApart);
        one.kernels.graph.push_back(0);
        one.kernels.graphNode.push_back(0);
        one.kernels.configuration.push_back(0);
    }
    for (std::size_t i = 0; i < other.launches.size(); ++i) {
        one.launches.startNs.push_back(other.launches.startNs[i]);
        one.launches.endNs.push_back(other.launches.endNs[i]);
        one.launches.api.push_back(other.launches.api[i]);
        one.launches.tid.push_back(other.launches.tid[i]);
        one.launches.correlation.push_back(other.launches.correlation[i] + kApart);
    }
    for (std::size_t i = 0; i < other.apiCalls.size(); ++i) {
        one.apiCalls.startNs.push_back(other.apiCalls.startNs[i]);
        one.apiCalls.endNs.push_back(other.apiCalls.endNs[i]);
        // The other's texts may have other numbers.
        const std::string_view api = other.text(other.apiCalls.api[i]);
        one.apiCalls.api.push_back(trace.text(0, api));
        one.strings.emplace(one.apiCalls.api[one.apiCalls.api.size() - 1], api);
        one.apiCalls.thread.push_back(2);
        one.apiCalls.stream.push_back(0);
        one.apiCalls.copyKind.push_back(other.apiCalls.copyKind[i]);
        one.apiCalls.bytes.push_back(0);
        one.apiCalls.result.push_back(0);
    }
    one.threads.push_back({2, other.threads.front().tid, "second"});
    one.ranks.push_back({1, 1, 2, 1, 0, "communicator"});
    run.processes.resize(1);
    return run;
}

TEST(Attribution, AThreadsWaitsConcernItsOwnRank)
{
    TraceBuilder trace(2);
    trace.withoutStepEndSync();
    trace.steps(kSteps, [](StepBuilder& step) {
        step.everyRank().compute(5ms, {.launches = 4});
        step.rank(1).synchronize();
        step.everyRank().compute(5ms, {.launches = 4});
    });
    const model::Model model = model::buildModel(inOneProcess(trace));
    ASSERT_EQ(model.ranks.size(), 2U);
    const metrics::RunMetrics run = metrics::computeMetrics(model);
    ASSERT_EQ(run.ranks.size(), 2U);
    EXPECT_EQ(run.ranks[0].blocking.count, 0);
    EXPECT_GT(run.ranks[1].blocking.count, 0);
}

TEST(Attribution, CommunicatorsMadePastTheWrappersAreMatchedByNcclsHash)
{
    TraceBuilder trace = computingLonger();
    for (int rank = 0; rank < trace.ranks(); ++rank) {
        trace.process(rank).communicators.front().hash = 0;
    }
    for (const model::Operation& operation : model::buildModel(trace.run()).operations) {
        EXPECT_FALSE(operation.complete()) << "without any hash nobody knows whose calls belong together";
    }
    for (int rank = 0; rank < trace.ranks(); ++rank) {
        trace.process(rank).communicators.front().ncclHash = 0xABCD;
    }
    const model::Model model = model::buildModel(trace.run());
    ASSERT_EQ(model.operations.size(), static_cast<std::size_t>(kSteps));
    for (const model::Operation& operation : model.operations) {
        EXPECT_TRUE(operation.complete());
        EXPECT_EQ(operation.communicator, 0xABCDU);
    }
}

/// Steps differ for all ranks, so that one half of them does not predict the other exactly, and rank 1
/// computes longer by a little or by more.
TEST(ReplayedCosts, AreNotClaimedWithinTheErrorOfTheReplay)
{
    std::size_t claimed = 0;
    std::size_t unclaimed = 0;
    for (unsigned seed = 0; seed < 24; ++seed) {
        std::mt19937 random(seed);
        std::normal_distribution<double> disturbance(0, 800);
        const auto more = std::chrono::microseconds(150 * seed);
        TraceBuilder trace(4);
        trace.steps(kSteps, [&](StepBuilder& step) {
            step.everyRank().compute(10ms + std::chrono::microseconds(std::lround(disturbance(random))));
            step.rank(1).compute(more);
            step.allReduce(4_MiB, {.takes = 1ms});
        });
        const report::Report report = report::buildReport(trace.run(), {});
        const rules::Finding* const late = find(report, "late_rank");
        const double errorNs = whatif::WhatIf(report.model).predict({}).errorNs();
        if (late == nullptr) {
            continue;
        }
        const double saving = rules::figureOf(*late, "replayed_saving_ns");
        EXPECT_TRUE(saving == 0 || saving > errorNs) << seed << ": " << saving << " of " << errorNs;
        EXPECT_TRUE(saving > 0 || !late->costNsPerStep ||
                    said(late->advice).find("The cost is the waiting") != std::string::npos)
            << seed << ": " << said(late->advice);
        claimed += saving > 0 ? 1 : 0;
        unclaimed += late->costNsPerStep ? 0 : 1;
    }
    EXPECT_GT(claimed, 0U);
    EXPECT_GT(unclaimed, 0U);
}

} // namespace
