// SPDX-License-Identifier: Apache-2.0
// Steps found in three ways, and carried over to the device.
#include "model/build_model.h"
#include "model/model.h"
#include "model/period_steps.h"
#include "model/steps.h"
#include "report/report.h"
#include "support/said.h"
#include "training_trace.h"

#include <ringside/error.h>
#include <ringside/trace/recording_windows.h>
#include <ringside/trace/step_name.h>

#include <gtest/gtest.h>

namespace ringside::model {
namespace {

/// Turns a rank's step marks into ranges with a name.
void marksToRanges(TraceBuilder& trace, int rank, const std::function<std::string(std::int64_t)>& name)
{
    trace::ProcessTrace& process = trace.process(rank);
    for (const trace::StepRow& step : process.steps) {
        trace::RangeRow range;
        range.name = trace.text(rank, name(step.number));
        range.startNs = step.startNs;
        range.endNs = step.endNs;
        process.ranges.push_back(range);
    }
    process.steps.clear();
}

/// The second rank's profiler started three steps later, and counts from there.
TEST(Steps, AreNumberedByTheCollectivesThatRanksShare)
{
    TraceBuilder trace = training();
    trace::ProcessTrace& process = trace.process(1);
    process.steps.erase(process.steps.begin(), process.steps.begin() + 3);
    for (trace::StepRow& step : process.steps) {
        step.number -= 3;
    }
    const Model model = buildModel(trace.run());
    EXPECT_EQ(model.ranks[0].steps.front().number, 1);
    EXPECT_EQ(model.ranks[1].steps.front().number, 4);
    EXPECT_EQ(model.ranks[1].steps.back().number, kSteps);
    EXPECT_TRUE(std::ranges::any_of(
        model.issues, [](const trace::IssueRow& row) { return row.is(trace::Issue::RecordingsApart); }));
}

/// All count alike: nothing is changed, and nothing is said.
TEST(Steps, KeepTheirNumbersWhereRanksAgree)
{
    const Model model = buildModel(training().run());
    EXPECT_EQ(model.ranks[1].steps.front().number, 1);
    EXPECT_TRUE(std::ranges::none_of(
        model.issues, [](const trace::IssueRow& row) { return row.is(trace::Issue::RecordingsApart); }));
}

void expectTiledSteps(const std::vector<Step>& steps)
{
    for (std::size_t i = 0; i + 1 < steps.size(); ++i) {
        ASSERT_TRUE(steps[i].device && steps[i + 1].device);
        EXPECT_EQ(steps[i].device->end, steps[i + 1].device->start);
        EXPECT_LT(steps[i].number, steps[i + 1].number);
    }
}

TEST(Steps, ComeFromMarks)
{
    const Model model = buildModel(training().run());
    EXPECT_EQ(model.ranks[0].stepSource, StepSource::Mark);
    ASSERT_EQ(model.ranks[0].steps.size(), static_cast<std::size_t>(kSteps));
    expectTiledSteps(model.ranks[0].steps);
    EXPECT_EQ(model.analyzedSteps.front(), 2) << "the first recorded one is left out";
    EXPECT_EQ(model.analyzedSteps.back(), kSteps - 1) << "and the last, whose end is not known";
}

// A loader copies step n's batch from a thread of its own while the host waits for it in step n, several
// steps ahead of its device: there the copy runs in the middle of an earlier step.
TEST(Steps, DoNotBeginWithWhatALoaderCopiesAhead)
{
    constexpr std::uint32_t kLoaderThread = 77;
    TraceBuilder trace = training();
    const Model without = buildModel(trace.run());
    trace::ProcessTrace& process = trace.process(0);
    const trace::StringId copy = trace.text(0, "cudaMemcpyAsync");
    const trace::StringId record = trace.text(0, "cudaEventRecord");
    std::uint32_t correlation = 1'000'000;
    for (std::size_t i = 4; i < kSteps; ++i) {
        const std::int64_t begin = without.ranks[0].steps[i - 2].device->start + 2'000'000;
        const std::int64_t call = without.ranks[0].steps[i].host.start;
        trace::LaunchColumns& launches = process.launches;
        for (const trace::StringId api : {record, copy}) {
            launches.startNs.push_back(call);
            launches.endNs.push_back(call + 1000);
            launches.api.push_back(api);
            launches.tid.push_back(kLoaderThread);
            launches.correlation.push_back(++correlation);
        }
        trace::CopyColumns& copies = process.copies;
        copies.startNs.push_back(begin);
        copies.endNs.push_back(begin + 100'000);
        copies.bytes.push_back(1 << 20);
        for (auto* const column : {&copies.device, &copies.graph}) {
            column->push_back(0);
        }
        copies.stream.push_back(3);
        copies.correlation.push_back(correlation);
        copies.kind.push_back(1); // to the device
        copies.graphNode.push_back(0);
    }
    const Model with = buildModel(trace.run());
    for (std::size_t i = 0; i < kSteps; ++i) {
        EXPECT_EQ(with.ranks[0].steps[i].device->start, without.ranks[0].steps[i].device->start) << i;
        EXPECT_EQ(with.ranks[0].steps[i].device->end, without.ranks[0].steps[i].device->end) << i;
    }
}

TEST(Steps, ComeFromRangesWithTheirNumbers)
{
    TraceBuilder trace = training();
    for (int rank = 0; rank < 2; ++rank) {
        marksToRanges(trace, rank, [](std::int64_t n) { return "ProfilerStep#" + std::to_string(n + 40); });
    }
    const Model model = buildModel(trace.run());
    EXPECT_EQ(model.ranks[1].stepSource, StepSource::Range);
    ASSERT_EQ(model.ranks[1].steps.size(), static_cast<std::size_t>(kSteps));
    EXPECT_EQ(model.ranks[1].steps.front().number, 41);
    expectTiledSteps(model.ranks[1].steps);
}

TEST(Steps, RangesWithoutANumberAreCounted)
{
    TraceBuilder trace = training();
    for (int rank = 0; rank < 2; ++rank) {
        marksToRanges(trace, rank, [](std::int64_t) { return "iteration"; });
    }
    const Model model = buildModel(trace.run());
    ASSERT_EQ(model.ranks[0].steps.size(), static_cast<std::size_t>(kSteps));
    EXPECT_EQ(model.ranks[0].steps.back().number, kSteps);
}

TEST(Steps, ComeFromThePeriodOfCollectives)
{
    TraceBuilder trace = training();
    for (int rank = 0; rank < 2; ++rank) {
        trace.process(rank).steps.clear();
    }
    const Model model = buildModel(trace.run());
    EXPECT_EQ(model.ranks[0].stepSource, StepSource::Period);
    EXPECT_NEAR(static_cast<double>(model.ranks[0].steps.size()), kSteps, 1);
    expectTiledSteps(model.ranks[0].steps);
}

// As of an export without payloads: each call looks like the other, what was launched before it does not.
TEST(Steps, OfCallsWithoutSizesAreFoundByTheKernelsBetween)
{
    TraceBuilder trace(2);
    trace.withoutStepEndSync().steps(kSteps, [](StepBuilder& step) {
        step.everyRank().compute(4ms, {.launches = 4});
        step.allReduce(1_MiB, {.takes = 500us});
        step.everyRank().compute(2ms, {.launches = 1});
        step.allReduce(1_MiB, {.takes = 500us});
    });
    for (int rank = 0; rank < 2; ++rank) {
        trace.process(rank).steps.clear();
        for (trace::CollectiveCallRow& call : trace.process(rank).collectiveCalls) {
            call.bytes.reset();
            call.count.reset();
            call.datatype.reset();
        }
    }
    const Model model = buildModel(trace.run());
    EXPECT_EQ(model.ranks[0].stepSource, StepSource::Period);
    EXPECT_LE(model.ranks[0].steps.size(), static_cast<std::size_t>(kSteps));
    EXPECT_GE(model.ranks[0].steps.size(), static_cast<std::size_t>(kSteps - 2));
}

/// The number of the call with which each step begins, by the step's number.
std::map<std::int64_t, std::int64_t> firstCalls(const Model& model, std::size_t rank)
{
    std::map<std::int64_t, std::int64_t> calls;
    for (const Step& step : model.ranks[rank].steps) {
        for (const trace::CollectiveCallRow& call : model.processOf(model.ranks[rank]).collectiveCalls) {
            if (call.startNs == step.host.start) {
                calls[step.number] = call.sequence;
            }
        }
    }
    return calls;
}

void clearMarks(TraceBuilder& trace)
{
    for (int rank = 0; rank < trace.ranks(); ++rank) {
        trace.process(rank).steps.clear();
        trace.process(rank).ranges.clear();
    }
}

/// The longest pause of a rank that is late within its backward pass is not that between steps.
TEST(Steps, OfThePeriodBeginWithTheSameCollectiveOnAllRanks)
{
    for (const int late : {0, 1, 2}) {
        TraceBuilder trace(3);
        trace.withoutStepEndSync().steps(kSteps, [late](StepBuilder& step) {
            step.everyRank().hostIdle(1ms).compute(4ms);
            step.allReduce(1_MiB, {.takes = 500us});
            step.rank(late).hostIdle(20ms);
            step.everyRank().compute(2ms);
            step.allReduce(2_MiB, {.takes = 500us});
        });
        clearMarks(trace);
        const Model model = buildModel(trace.run());
        const auto calls = firstCalls(model, 0);
        EXPECT_GE(calls.size(), static_cast<std::size_t>(kSteps - 1));
        EXPECT_EQ(calls, firstCalls(model, 1)) << late;
        EXPECT_EQ(calls, firstCalls(model, 2)) << late;
        EXPECT_EQ(calls.begin()->second % 2, 0) << "most ranks pause before the first of two";
    }
}

TEST(Steps, OfThePeriodHaveTheSameNumbersWhereARankWasRecordedLater)
{
    TraceBuilder trace = training();
    clearMarks(trace);
    auto& calls = trace.process(1).collectiveCalls;
    calls.erase(calls.begin(), calls.begin() + 5);
    const Model model = buildModel(trace.run());
    const auto all = firstCalls(model, 0);
    const auto some = firstCalls(model, 1);
    EXPECT_GE(some.size(), all.size() - 3);
    for (const auto& [number, call] : some) {
        EXPECT_EQ(all.at(number), call);
    }
}

TEST(Steps, OfThePeriodEndWhereTheNextIsMissing)
{
    TraceBuilder trace = training();
    clearMarks(trace);
    auto& calls = trace.process(1).collectiveCalls;
    calls.erase(calls.begin() + 10, calls.begin() + 12);
    const Model model = buildModel(trace.run());
    const auto& whole = model.ranks[0].steps;
    const auto& steps = model.ranks[1].steps;
    EXPECT_EQ(steps.size() + 1, whole.size());
    for (const Step& step : steps) {
        EXPECT_LT(step.host.length(), 2 * whole.front().host.length()) << step.number;
    }
}

TEST(Steps, AreThoseThatAllRanksKnow)
{
    TraceBuilder trace = training();
    marksToRanges(trace, 0, [](std::int64_t n) { return "ProfilerStep#" + std::to_string(n + 40); });
    trace.process(1).steps.clear();
    const Model model = buildModel(trace.run());
    EXPECT_EQ(model.ranks[0].stepSource, StepSource::Period);
    EXPECT_EQ(model.ranks[1].stepSource, StepSource::Period);
    EXPECT_EQ(firstCalls(model, 0), firstCalls(model, 1));
    EXPECT_TRUE(std::ranges::count(model.issues, "steps_marked_by_some", &trace::IssueRow::id) == 1);
}

TEST(Steps, AreOfOneKindOfRanges)
{
    TraceBuilder trace = training();
    for (int rank = 0; rank < 2; ++rank) {
        const auto marks = trace.process(rank).steps;
        marksToRanges(trace, rank, [](std::int64_t n) { return "iteration " + std::to_string(n); });
        if (rank == 0) {
            trace.process(rank).steps = marks;
            marksToRanges(trace, rank,
                          [](std::int64_t n) { return "ProfilerStep#" + std::to_string(n / 2); });
        }
    }
    const Model model = buildModel(trace.run());
    ASSERT_EQ(model.ranks[0].steps.size(), model.ranks[1].steps.size());
    EXPECT_EQ(model.ranks[0].steps.back().number, model.ranks[1].steps.back().number);
}

/// Nothing but the repetition of one call says that it is a step's.
TEST(Steps, ThatAreGuessedWithoutAWitnessWeakenTheVerdict)
{
    TraceBuilder trace(2);
    trace.withoutStepEndSync().steps(2 * kSteps, [](StepBuilder& step) {
        step.everyRank().compute(4ms);
        step.allReduce(1_MiB, {.takes = 500us});
    });
    const report::Report marked = report::buildReport(trace.run(), {});
    EXPECT_EQ(said(marked.verdict.reason).find("guessed"), std::string::npos);
    EXPECT_FALSE(marked.model.stepPeriod);
    clearMarks(trace);
    const report::Report guessed = report::buildReport(trace.run(), {});
    ASSERT_TRUE(guessed.model.stepPeriod);
    EXPECT_EQ(guessed.model.stepPeriod->confidence, StepConfidence::Low);
    EXPECT_EQ(guessed.verdict.confidence, report::Confidence::Low);
    EXPECT_NE(said(guessed.verdict.reason).find("guessed"), std::string::npos)
        << said(guessed.verdict.reason);
    const report::Report told = report::buildReport(trace.run(), {}, parseStepsBy("period=1"));
    EXPECT_EQ(said(told.verdict.reason).find("guessed"), std::string::npos);
}

TEST(Steps, AreRangesOfTheNameThatTheUserGives)
{
    TraceBuilder trace = training();
    for (int rank = 0; rank < 2; ++rank) {
        marksToRanges(trace, rank, [](std::int64_t n) { return "batch " + std::to_string(n); });
    }
    EXPECT_EQ(buildModel(trace.run()).ranks[0].stepSource, StepSource::Period);
    const Model model = buildModel(trace.run(), parseStepsBy("batch"));
    EXPECT_EQ(model.ranks[0].stepSource, StepSource::Range);
    EXPECT_EQ(model.ranks[0].steps.size(), static_cast<std::size_t>(kSteps));
    EXPECT_EQ(model.ranks[0].steps.back().number, kSteps);
    EXPECT_EQ(buildModel(trace.run(), parseStepsBy("range=batch")).ranks[0].stepSource, StepSource::Range);
    EXPECT_EQ(parseStepsBy("range=none").range, "none");
    EXPECT_THROW((void)parseStepsBy("range="), Error);
    EXPECT_THROW((void)parseStepsBy(""), Error);
    EXPECT_THROW((void)buildModel(trace.run(), parseStepsBy("bat")), Error);
}

/// As stock PyTorch on one GPU, imported from its profiler: nothing else says what a step is.
TEST(Steps, AreBetweenOptimizerRangesIfNothingElseMarksThem)
{
    TraceBuilder trace(1);
    trace.steps(kSteps, [](StepBuilder& step) { step.everyRank().compute(3ms); });
    marksToRanges(trace, 0, [](std::int64_t) { return "Optimizer.step#AdamW.step"; });
    const Model model = buildModel(trace.run());
    EXPECT_EQ(model.ranks[0].stepSource, StepSource::Range);
    EXPECT_EQ(model.ranks[0].steps.size(), static_cast<std::size_t>(kSteps));
    EXPECT_EQ(model.ranks[0].steps.back().number, kSteps);
}

TEST(Steps, KnowTheOptimizersRangesAsWitnesses)
{
    TraceBuilder trace = training();
    for (int rank = 0; rank < 2; ++rank) {
        marksToRanges(trace, rank, [](std::int64_t) { return "Optimizer.step#AdamW.step"; });
    }
    const Model model = buildModel(trace.run());
    ASSERT_TRUE(model.stepPeriod);
    EXPECT_TRUE(model.stepPeriod->witnesses.optimizer);
    EXPECT_EQ(model.stepPeriod->confidence, StepConfidence::High);
}

/// Two jobs in one recording, as pipeline stages are: nothing ties their steps.
TEST(Steps, OfRanksThatShareNoCollectiveAreCountedApart)
{
    TraceBuilder trace = training();
    clearMarks(trace);
    for (trace::CommunicatorRow& row : trace.process(1).communicators) {
        row.hash += 1;
    }
    const Model model = buildModel(trace.run());
    EXPECT_GE(model.ranks[1].steps.size(), static_cast<std::size_t>(kSteps - 1));
    EXPECT_TRUE(std::ranges::count(model.issues, "steps_apart", &trace::IssueRow::id) == 1);
}

TEST(ParseStepName, RecognizesTheUsualOnes)
{
    EXPECT_EQ(trace::parseStepName("ProfilerStep#17")->number, 17);
    EXPECT_EQ(trace::parseStepName("iteration 3")->number, 3);
    EXPECT_EQ(trace::parseStepName("Step_5")->number, 5);
    EXPECT_FALSE(trace::parseStepName("step")->number);
    EXPECT_TRUE(trace::parseStepName("step[DECODE bs=8]"));
    EXPECT_TRUE(trace::parseStepName("[pl][profile]run_training_batch"));
    EXPECT_FALSE(trace::parseStepName("[pl][profile]run_training_epoch"));
    EXPECT_TRUE(trace::parseStepName("execute_context_4(1024)_generation_0(0)"));
    EXPECT_TRUE(trace::parseStepName("execute_new_1_cached_7"));
    EXPECT_TRUE(trace::parseStepName("[Executor] _forward_step 12: 0 ctx reqs, 0 ctx tokens, 8 gen reqs"));
    EXPECT_FALSE(trace::parseStepName("execute_callbacks"));
    EXPECT_FALSE(trace::parseStepName("optimizer step"));
    EXPECT_FALSE(trace::parseStepName("step function"));
    EXPECT_FALSE(trace::parseStepName("iterator"));
}

} // namespace
} // namespace ringside::model
