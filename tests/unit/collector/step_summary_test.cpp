// SPDX-License-Identifier: Apache-2.0
// Sums of steps, made of rows as the drain thread writes them.
#include "api/functions.h"
#include "summary/step_summarizer.h"
#include "trace/vocabulary/nccl_result.h"

#include <gtest/gtest.h>

#include <memory>
#include <random>

using namespace ringside;
using namespace ringside::collector;
using namespace ringside::collector::summary;

namespace {

constexpr std::int64_t kMs = 1'000'000;
constexpr std::int64_t kPass = 250 * kMs;
constexpr trace::StringId kNccl = 5000;
constexpr trace::StringId kGemm = 5001;

std::uint32_t idOf(Api api)
{
    return stringIdOf(api);
}

trace::ApiCallRow call(Api api, std::int64_t start, std::int64_t end)
{
    trace::ApiCallRow row;
    row.startNs = start;
    row.endNs = end;
    row.api = idOf(api);
    return row;
}

trace::CollectiveCallRow collective(std::int64_t communicator, std::int64_t start,
                                    std::optional<std::uint64_t> bytes)
{
    trace::CollectiveCallRow row;
    row.communicator = communicator;
    row.startNs = start;
    row.endNs = start + 1;
    row.bytes = bytes;
    return row;
}

/// A job of marked steps of 100 ms; in each, compute of 60 ms, then communication of 30 ms of which 10 ms lie
/// beside it, then idle time.
class Job {
public:
    Job()
    {
        summarizer.defineString(kNccl,
                                "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)");
        summarizer.defineString(kGemm, "ampere_sgemm_128x64_nn");
    }

    void step(std::int64_t number, bool device)
    {
        const std::int64_t start = number * 100 * kMs;
        summarizer.see(call(Api::cudaLaunchKernel, start + kMs, start + 2 * kMs));
        summarizer.see(call(Api::cudaStreamSynchronize, start + 10 * kMs, start + 95 * kMs));
        summarizer.see(collective(7, start + 3 * kMs, 1000));
        summarizer.see(trace::StepRow{number, start, start + 100 * kMs, 1});
        if (device) {
            const auto id = static_cast<std::uint32_t>(10 * number);
            summarizer.see(
                trace::LaunchRow{start + kMs, start + 2 * kMs, idOf(Api::cudaLaunchKernel), 0, id});
            summarizer.see(trace::LaunchRow{start + 3 * kMs, start + 4 * kMs, 0, 0, id + 1});
            kernel(kGemm, start + 5 * kMs, start + 65 * kMs, id);
            kernel(kNccl, start + 55 * kMs, start + 85 * kMs, id + 1);
        }
    }
    void kernel(trace::StringId name, std::int64_t start, std::int64_t end, std::uint32_t correlation)
    {
        trace::KernelRow row;
        row.name = name;
        row.startNs = start;
        row.endNs = end;
        row.correlation = correlation;
        summarizer.see(row);
    }
    void pass(std::int64_t ns)
    {
        for (Summary& each : summarizer.pass(ns, true)) {
            summaries.push_back(std::move(each));
        }
    }
    void finish()
    {
        for (Summary& each : summarizer.finish()) {
            summaries.push_back(std::move(each));
        }
    }

    StepSummarizer summarizer;
    std::vector<Summary> summaries;
};

// The host is ahead of its GPU: NCCL tells of a step's kernels while the next step is enqueued.
TEST(StepSummary, hasTheTimeOfNcclsKernelsWhereTheDeviceTierIsOff)
{
    StepSummarizer summarizer;
    std::vector<trace::StepSummaryRow> rows;
    const auto pass = [&](std::int64_t ns) {
        for (Summary& each : summarizer.pass(ns, true, false, 150 * kMs)) {
            rows.insert(rows.end(), each.rows.begin(), each.rows.end());
        }
    };
    for (std::int64_t number = 1; number <= 8; ++number) {
        const std::int64_t start = number * 100 * kMs;
        summarizer.see(collective(7, start + 3 * kMs, 1000));
        summarizer.see(trace::StepRow{number, start, start + 100 * kMs, 1});
        if (number > 1) {
            const std::int64_t ran = start + 7000 * kMs; // on the GPU's timer
            summarizer.see(NcclKernel{start - 96 * kMs, {ran + 40 * kMs, ran + 50 * kMs}});
            summarizer.see(NcclKernel{start - 97 * kMs, {ran, ran + (number + 8) * kMs}});
            summarizer.see(NcclKernel{start - 95 * kMs, {ran + 5 * kMs, ran + 8 * kMs}});
        }
        pass(start + 100 * kMs);
    }
    ASSERT_EQ(rows.size(), 5U) << "the kernels of the others may still run";
    EXPECT_EQ(rows[0].ncclNs, std::nullopt) << "timed from the middle of it on";
    for (std::int64_t number = 2; number <= 5; ++number) {
        EXPECT_EQ(rows[static_cast<std::size_t>(number - 1)].ncclNs, (number + 19) * kMs);
    }
    pass(900 * kMs + 2 * StepSummarizer::kDevicePatienceNs);
    ASSERT_EQ(rows.size(), 8U);
    EXPECT_EQ(rows[5].ncclNs, 25 * kMs);
    EXPECT_EQ(rows[6].ncclNs, std::nullopt) << "more of its kernels may have been to come";
    EXPECT_EQ(rows[7].ncclNs, std::nullopt);
}

struct TakenKernels {
    explicit TakenKernels(NcclKernels& kernels)
    {
        kernels.take([this](const NcclKernel& kernel) {
            ++count;
            ran.add(kernel.ran);
        });
    }
    std::size_t count = 0;
    IntervalUnion ran;
};

// Two communicators' kernels are told of by two threads.
TEST(NcclKernels, countTheirUnionOnceInAnyOrder)
{
    const auto kernels = std::make_unique<NcclKernels>();
    kernels->time(true, 1);
    kernels->add(8, 0, 2000, 2100);
    kernels->add(5, 0, 1000, 1500);
    kernels->add(6, 0, 1200, 1600); // beside the first
    kernels->add(7, 0, 1100, 1400); // within them
    const TakenKernels taken(*kernels);
    EXPECT_EQ(taken.count, 4U);
    EXPECT_EQ(taken.ran.length(), 700);
    EXPECT_EQ(TakenKernels(*kernels).count, 0U) << "each only once";
}

TEST(NcclKernels, beginAnewWhereSomeAreLost)
{
    const auto kernels = std::make_unique<NcclKernels>();
    kernels->time(true, 1);
    for (std::uint64_t i = 0; i < NcclKernels::kMost; ++i) {
        kernels->add(5, 0, 10 * i + 1, 10 * i + 2);
    }
    EXPECT_EQ(kernels->timedSinceNs(), 1);
    kernels->add(5, 0, 100'000'000, 100'000'001);
    EXPECT_GT(kernels->timedSinceNs(), 1) << "steps before that are not whole";
    EXPECT_EQ(TakenKernels(*kernels).count, NcclKernels::kMost);
}

/// A timer that gave nothing, or nonsense, hides neither its own step nor the kernels after it.
TEST(NcclKernels, withoutTimesAreLostAndNotOfNoLength)
{
    constexpr std::uint64_t kFar = std::uint64_t{1} << 62U;
    constexpr std::pair<std::uint64_t, std::uint64_t> kNone[] = {
        {0, 5000}, {5000, 0}, {5000, 5000}, {5000, kFar}};
    for (const auto& [startNs, endNs] : kNone) {
        const auto kernels = std::make_unique<NcclKernels>();
        kernels->time(true, 1);
        kernels->add(5, 0, startNs, endNs);
        EXPECT_GT(kernels->timedSinceNs(), 1);
        EXPECT_EQ(TakenKernels(*kernels).count, 0U);
    }
    const auto kernels = std::make_unique<NcclKernels>();
    kernels->time(true, 1);
    kernels->add(5, 0, kFar, kFar + 100);
    kernels->add(6, 0, 1000, 1500);
    EXPECT_GT(kernels->timedSinceNs(), 1) << "one of both was no time";
    (void)TakenKernels(*kernels);
    kernels->add(7, 0, 2000, 2100);
    EXPECT_EQ(TakenKernels(*kernels).ran.length(), 100);
}

TEST(NcclKernels, areLeftOutWithSeveralGpusAndInGraphs)
{
    const auto kernels = std::make_unique<NcclKernels>();
    kernels->time(true, 1);
    kernels->add(5, 0, 1000, 1500);
    kernels->add(5, 1, 1000, 1500);
    EXPECT_FALSE(kernels->areTimed());
    kernels->time(true, 9);
    EXPECT_FALSE(kernels->areTimed()) << "for good";
}

} // namespace

TEST(StepSummary, hasWhatTheHostDid)
{
    Job job;
    for (std::int64_t number = 1; number <= 4; ++number) {
        job.step(number, false);
        job.pass(number * 100 * kMs + 100 * kMs);
    }
    job.finish();
    ASSERT_EQ(job.summaries.size(), 4U);
    for (std::int64_t i = 0; i < 4; ++i) {
        const Summary& summary = job.summaries[static_cast<std::size_t>(i)];
        ASSERT_EQ(summary.rows.size(), 1U);
        const trace::StepSummaryRow& row = summary.rows[0];
        EXPECT_EQ(row.id, i + 1);
        EXPECT_EQ(row.number, i + 1);
        EXPECT_EQ(row.source, trace::SummarySource("mark"));
        EXPECT_EQ(row.endNs - row.startNs, 100 * kMs);
        EXPECT_EQ(row.launches, 1);
        EXPECT_EQ(row.collectives, 1);
        EXPECT_EQ(row.blockingNs, 85 * kMs);
        EXPECT_EQ(row.device, std::nullopt);
        EXPECT_EQ(row.computeNs, std::nullopt); // not measured is not 0
        ASSERT_EQ(summary.traffic.size(), 1U);
        EXPECT_EQ(summary.traffic[0].communicator, 7);
        EXPECT_EQ(summary.traffic[0].bytes, 1000);
    }
}

TEST(StepSummary, leavesOutWhatNcclRefused)
{
    constexpr std::int64_t kInvalidArgument = 4;
    Job job;
    job.step(1, false);
    trace::CollectiveCallRow refused = collective(7, 150 * kMs, 1 << 30U);
    refused.result = kInvalidArgument;
    job.summarizer.see(refused);
    trace::CollectiveCallRow goesOn = collective(7, 151 * kMs, 24);
    goesOn.result = trace::kNcclInProgress;
    job.summarizer.see(goesOn);
    for (std::int64_t number = 2; number <= 3; ++number) {
        job.step(number, false);
        job.pass(number * 100 * kMs + 100 * kMs);
    }
    job.finish();
    ASSERT_EQ(job.summaries.size(), 3U);
    EXPECT_EQ(job.summaries[0].rows[0].collectives, 2);
    ASSERT_EQ(job.summaries[0].traffic.size(), 1U);
    EXPECT_EQ(job.summaries[0].traffic[0].bytes, 1024);
}

TEST(StepSummary, hasWhatTheDeviceDid)
{
    Job job;
    for (std::int64_t number = 1; number <= 20; ++number) {
        job.step(number, true);
        job.pass(number * 100 * kMs + 100 * kMs);
    }
    job.finish();
    ASSERT_EQ(job.summaries.size(), 20U);
    // Of the first nobody knows whether it was seen as a whole, of the last where it ends.
    EXPECT_EQ(job.summaries.front().rows[0].computeNs, std::nullopt);
    EXPECT_EQ(job.summaries.back().rows[0].computeNs, std::nullopt);
    for (std::size_t i = 1; i + 1 < job.summaries.size(); ++i) {
        const trace::StepSummaryRow& row = job.summaries[i].rows[0];
        EXPECT_EQ(row.device, 0);
        EXPECT_EQ(row.computeNs, 60 * kMs);
        EXPECT_EQ(row.communicationNs, 30 * kMs);
        EXPECT_EQ(row.exposedCommunicationNs, 20 * kMs);
        EXPECT_EQ(row.exposedCopyNs, 0);
        EXPECT_EQ(row.idleNs, 20 * kMs);
        EXPECT_EQ(*row.deviceEndNs - *row.deviceStartNs, 100 * kMs);
    }
}

// In every step NCCL, a graph and the program have copies of 2, 3 and 4 ms made, one after another.
TEST(StepSummary, countsTheCopiesOfACollectiveAsCommunication)
{
    Job job;
    constexpr std::uint64_t kGraphLaunch = 7;
    trace::GraphLaunchRow launch;
    launch.launch = kGraphLaunch;
    for (std::int64_t number = 1; number <= 20; ++number) {
        const auto id = static_cast<std::uint32_t>(10 * number);
        std::int64_t start = number * 100 * kMs + 90 * kMs;
        for (const std::uint32_t copy : {2U, 3U, 4U}) {
            trace::CopyRow row;
            row.startNs = start;
            row.endNs = start + copy * kMs;
            row.correlation = id + copy;
            job.summarizer.see(row);
            start = row.endNs;
        }
        job.summarizer.see(trace::CallCorrelationRow{id + 2, 1000});
        job.summarizer.see(trace::CallCorrelationRow{id + 3, kGraphLaunch});
        job.summarizer.see(launch);
        job.step(number, true);
        job.pass(number * 100 * kMs + 100 * kMs);
    }
    job.finish();
    ASSERT_EQ(job.summaries.size(), 20U);
    const trace::StepSummaryRow& row = job.summaries[10].rows[0];
    EXPECT_EQ(row.exposedCommunicationNs, 22 * kMs);
    EXPECT_EQ(row.exposedCopyNs, 7 * kMs);
}

TEST(StepSummary, doesNotMeasureStepsAtTheEdgeOfADeviceWindow)
{
    Job job;
    for (std::int64_t number = 1; number <= 30; ++number) {
        job.step(number, number >= 10 && number < 20);
        job.pass(number * 100 * kMs + 100 * kMs);
    }
    job.finish();
    ASSERT_EQ(job.summaries.size(), 30U);
    for (const Summary& summary : job.summaries) {
        const std::int64_t number = summary.rows[0].number.value();
        EXPECT_EQ(summary.rows[0].computeNs.has_value(), number > 10 && number < 19) << number;
    }
}

TEST(StepSummary, cutsStretchesWhereNothingMarksSteps)
{
    StepSummarizer summarizer;
    std::vector<Summary> summaries;
    for (std::int64_t pass = 1; pass <= 40; ++pass) {
        summarizer.see(call(Api::cudaLaunchKernel, pass * kPass - 2, pass * kPass - 1));
        for (Summary& each : summarizer.pass(pass * kPass, false)) {
            summaries.push_back(std::move(each));
        }
    }
    ASSERT_GE(summaries.size(), 8U);
    EXPECT_EQ(summaries[3].rows[0].source, trace::SummarySource("time"));
    EXPECT_EQ(summaries[3].rows[0].number, std::nullopt);
    EXPECT_EQ(summaries[3].rows[0].launches, 4);
}

TEST(StepSummary, takesTheBestSourceOfSteps)
{
    Job job;
    constexpr trace::StringId kIteration = 6000;
    job.summarizer.defineString(kIteration, "iteration 5");
    trace::RangeRow range;
    range.name = kIteration;
    range.thread = 1;
    for (std::int64_t i = 0; i < 3; ++i) {
        range.startNs = (i + 1) * 10 * kMs;
        range.endNs = (i + 2) * 10 * kMs;
        job.summarizer.see(range);
    }
    for (std::int64_t number = 1; number <= 3; ++number) {
        job.step(number, false);
        range.startNs = number * 100 * kMs + kMs; // inside of the marked one
        range.endNs = range.startNs + kMs;
        job.summarizer.see(range);
    }
    job.finish();
    ASSERT_EQ(job.summaries.size(), 6U);
    EXPECT_EQ(job.summaries[2].rows[0].number, 5);
    EXPECT_EQ(job.summaries[2].rows[0].source, trace::SummarySource("range"));
    EXPECT_EQ(job.summaries[3].rows[0].source, trace::SummarySource("mark"));
}

TEST(StepSummary, countsOnceWhatSeveralThreadsMark)
{
    StepSummarizer summarizer;
    for (std::int64_t number = 1; number <= 5; ++number) {
        for (std::int64_t thread = 1; thread <= 4; ++thread) {
            summarizer.see(trace::StepRow{number, number * 100 * kMs + thread,
                                          (number + 1) * 100 * kMs + thread, thread});
        }
    }
    EXPECT_EQ(summarizer.finish().size(), 5U);
}

TEST(StepSummary, runsTheCallsOfALaunchedGraph)
{
    StepSummarizer summarizer;
    auto captured = collective(7, 1, 500);
    captured.graph = 3;
    summarizer.see(captured);
    summarizer.see(captured);
    trace::GraphLaunchRow launch;
    launch.startNs = 10;
    launch.endNs = 11;
    launch.graph = 3;
    launch.communicator = 7;
    launch.calls = 2;
    summarizer.see(launch);
    summarizer.see(trace::StepRow{1, 5, 100, 1});
    const auto steps = summarizer.finish();
    ASSERT_EQ(steps.size(), 1U);
    EXPECT_EQ(steps[0].rows[0].collectives, 2);
    ASSERT_EQ(steps[0].traffic.size(), 1U);
    EXPECT_EQ(steps[0].traffic[0].bytes, 1000);
}

TEST(StepSummary, doesNotGrowWithoutSteps)
{
    StepSummarizer summarizer;
    for (std::uint32_t i = 0; i < 500'000; ++i) {
        summarizer.see(collective(i % 1000, i, std::nullopt));
        summarizer.see(call(Api::cudaStreamSynchronize, 10 * i, 10 * i + 1));
        summarizer.see(trace::KernelRow{i, i + 1, kGemm, i % 100, 0, i, 0, 0});
    }
    summarizer.see(trace::StepRow{1, 1, 100'000'000, 1});
    const auto steps = summarizer.finish();
    ASSERT_EQ(steps.size(), 1U);
    EXPECT_EQ(steps[0].rows[0].collectives, 500'000);
    EXPECT_LE(steps[0].traffic.size(), HostShare::kMostCommunicators + 1);
    EXPECT_EQ(steps[0].traffic[0].bytes, std::nullopt);
}

TEST(IntervalUnionOfASummary, isThatOfANaiveOne)
{
    std::mt19937 random(7);
    for (int run = 0; run < 200; ++run) {
        IntervalUnion all;
        std::vector<int> covered(200, 0);
        for (int i = 0; i < 30; ++i) {
            const auto start = static_cast<std::int64_t>(random() % 180);
            const auto end = start + static_cast<std::int64_t>(random() % 20);
            all.add({start, end});
            for (std::int64_t at = start; at < end; ++at) {
                covered[static_cast<std::size_t>(at)] = 1;
            }
        }
        EXPECT_EQ(all.length(), std::count(covered.begin(), covered.end(), 1));
    }
}

TEST(StepSummary, knowsStepsByNumberedNamesForEver)
{
    StepSummarizer summarizer;
    std::size_t steps = 0;
    constexpr std::int64_t kSteps = 200'000;
    for (std::int64_t i = 1; i <= kSteps; ++i) {
        trace::RangeRow range;
        range.name = static_cast<trace::StringId>(1000 + i);
        range.thread = 1;
        range.startNs = i * kMs;
        range.endNs = (i + 1) * kMs;
        summarizer.defineString(range.name, "ProfilerStep#" + std::to_string(i));
        summarizer.see(range);
        if (i % 100 == 0) {
            steps += summarizer.pass(i * kMs, true).size();
        }
    }
    EXPECT_EQ(steps + summarizer.finish().size(), static_cast<std::size_t>(kSteps));
}

TEST(StepSummary, leavesOutLoadingAhead)
{
    StepSummarizer summarizer;
    constexpr trace::StringId kLoading = 9;
    summarizer.defineString(kLoading, "data loading");
    summarizer.see(trace::StepRow{1, 0, 100, 1});
    trace::RangeRow range;
    range.name = kLoading;
    range.startNs = 110;
    range.endNs = 150;
    for (const std::int64_t thread : {1, 2}) {
        range.thread = thread;
        summarizer.see(range);
        range.endNs = 190;
    }
    summarizer.see(trace::StepRow{2, 100, 200, 1});
    EXPECT_EQ(summarizer.finish().at(1).rows[0].loadingNs, 40);
}

TEST(StepSummary, waitsForADeviceThatIsRecordedAndHasNotSpokenYet)
{
    for (const bool recorded : {true, false}) {
        StepSummarizer summarizer;
        summarizer.see(trace::StepRow{1, 0, 100, 1});
        EXPECT_TRUE(summarizer.pass(kPass, true, recorded).empty()); // another ring may hold more of it
        EXPECT_EQ(summarizer.pass(2 * kPass, true, recorded).size(), recorded ? 0U : 1U);
        EXPECT_EQ(summarizer.pass(2 * kPass + StepSummarizer::kDevicePatienceNs, true, recorded).size(),
                  recorded ? 1U : 0U);
    }
}
