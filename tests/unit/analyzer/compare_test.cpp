// SPDX-License-Identifier: Apache-2.0
#include "compare/comparison.h"
#include "report/sentences.h"
#include "support/trace_builder.h"

#include <gtest/gtest.h>

#include <random>

namespace ringside::compare {
namespace {

using namespace std::chrono_literals;

std::vector<double> noisy(std::mt19937_64& random, double centre, double spread, std::size_t count)
{
    std::normal_distribution<double> noise(0, spread);
    std::vector<double> values;
    double drift = 0; // neighbours are alike
    for (std::size_t i = 0; i < count; ++i) {
        drift = 0.5 * drift + noise(random);
        values.push_back(centre + drift);
    }
    return values;
}

Verdict verdictOf(const std::vector<double>& base, const std::vector<double>& now, double tolerance)
{
    return judge(changeOf(base, now, 100), std::min(base.size(), now.size()), tolerance, true);
}

TEST(CompareSeries, TakesNoiseForNoDifference)
{
    std::mt19937_64 random(7);
    int wrong = 0;
    for (int i = 0; i < 200; ++i) {
        const Verdict verdict = verdictOf(noisy(random, 100, 5, 60), noisy(random, 100, 5, 60), 0);
        wrong += verdict == Verdict::Better || verdict == Verdict::Worse ? 1 : 0;
    }
    EXPECT_LE(wrong, 30); // 5 % of independent steps; these are not, and blocks make up for most of that
}

/// 2,000 pairs without a difference; the plain interval of this tail took 1.4 to 6 % of them for different.
TEST(CompareSeries, TakesOneOfManyEqualPairsForDifferent)
{
    std::mt19937_64 random(7);
    for (const std::size_t steps : {6U, 10U, 20U, 40U}) {
        int wrong = 0;
        int found = 0;
        for (int i = 0; i < 500; ++i) {
            std::normal_distribution<double> noise(100, 5);
            std::vector<double> base(steps);
            std::vector<double> now(steps);
            std::ranges::generate(base, [&] { return noise(random); });
            std::ranges::generate(now, [&] { return noise(random); });
            wrong += differ(base, now) ? 1 : 0;
            std::ranges::for_each(now, [](double& value) { value += 20; });
            found += differ(base, now) ? 1 : 0;
        }
        EXPECT_LE(wrong, 5) << steps;
        EXPECT_GE(found, steps < 10 ? 200 : 400) << steps;
    }
    EXPECT_FALSE(differ(std::vector<double>{1, 1, 1, 1}, std::vector<double>{2, 2, 2, 2, 2}))
        << "too few to know";
    EXPECT_TRUE(differ(std::vector<double>(5, 1), std::vector<double>(5, 2)));
}

TEST(CompareSeries, FindsADifferenceBeyondNoiseAndTolerance)
{
    std::mt19937_64 random(7);
    for (int i = 0; i < 20; ++i) {
        EXPECT_EQ(verdictOf(noisy(random, 100, 3, 60), noisy(random, 110, 3, 60), 0.02), Verdict::Worse);
        EXPECT_EQ(verdictOf(noisy(random, 110, 3, 60), noisy(random, 100, 3, 60), 0.02), Verdict::Better);
        EXPECT_EQ(verdictOf(noisy(random, 100, 1, 60), noisy(random, 101, 1, 60), 0.05), Verdict::Same);
    }
}

TEST(CompareSeries, AdmitsWhatNoiseHides)
{
    std::mt19937_64 random(7);
    int inconclusive = 0;
    for (int i = 0; i < 100; ++i) {
        const Verdict verdict = verdictOf(noisy(random, 100, 60, 40), noisy(random, 101, 60, 40), 0.02);
        inconclusive += verdict == Verdict::Inconclusive ? 1 : 0;
    }
    EXPECT_GE(inconclusive, 80);
}

TEST(CompareSeries, ReportsNothingForFewValues)
{
    EXPECT_EQ(verdictOf({100, 100, 100, 100}, {200, 200, 200, 200}, 0.02), Verdict::Inconclusive);
    EXPECT_EQ(verdictOf({100}, {200, 201, 200, 202, 200, 201}, 0.02), Verdict::Inconclusive);
    EXPECT_EQ(verdictOf({100, 100, 100, 100, 100}, {200, 200, 200, 200, 200}, 0.02), Verdict::Worse);
}

/// What is said to be enough is: of twice as many steps again most comparisons are conclusive.
TEST(CompareSeries, ReportsHowManyStepsWouldBeConclusive)
{
    std::mt19937_64 random(7);
    int told = 0;
    int conclusive = 0;
    for (int i = 0; i < 60; ++i) {
        const Change change = changeOf(noisy(random, 100, 8, 20), noisy(random, 106, 8, 20), 100);
        if (judge(change, 20, 0.02, true) != Verdict::Inconclusive) {
            continue;
        }
        const auto steps = stepsForVerdict(change, 20, 0.02);
        ASSERT_TRUE(!steps || *steps > 20) << *steps;
        if (steps && *steps <= 500) {
            ++told;
            const Verdict verdict =
                verdictOf(noisy(random, 100, 8, 2 * *steps), noisy(random, 106, 8, 2 * *steps), 0.02);
            conclusive += verdict != Verdict::Inconclusive ? 1 : 0;
        }
    }
    EXPECT_GE(told, 10);
    EXPECT_GE(conclusive * 10, told * 6);
}

TEST(CompareSeries, FourTimesTheStepsHalveTheInterval)
{
    EXPECT_EQ(stepsForVerdict({0.0, -0.04, 0.04}, 25, 0.02), 100U) << "same";
    EXPECT_EQ(stepsForVerdict({0.04, -0.04, 0.12}, 25, 0.02), 101U) << "more than the tolerance";
    EXPECT_EQ(stepsForVerdict({-0.04, -0.12, 0.04}, 25, 0.02), 101U) << "less";
    EXPECT_FALSE(stepsForVerdict({0.0199999, -0.04, 0.08}, 25, 0.02)) << "at the tolerance itself";
}

TEST(CompareSeries, SummarizesByMedians)
{
    const Summary summary = summarize(std::vector<double>{1, 2, 3, 4, 1000});
    EXPECT_EQ(summary.count, 5U);
    EXPECT_EQ(summary.median, 3);
    EXPECT_EQ(summary.mad, 1);
    EXPECT_EQ(summarize(std::vector<double>{1, 3}).median, 1) << "the lower one of two, as in a report";
    EXPECT_EQ(summarize({}).count, 0U);
}

report::Report runOf(std::chrono::nanoseconds compute, std::string_view kernel, int ranks = 2, int steps = 12)
{
    test::TraceBuilder trace(ranks);
    trace.steps(steps, [&](test::StepBuilder& step) {
        step.everyRank().compute(compute, {.kernel = kernel});
        step.allReduce(std::uint64_t{4} << 20U, {.takes = 1ms});
    });
    return report::buildReport(trace.run(), {});
}

const Metric& metricOf(const Comparison& comparison, std::string_view name)
{
    const auto found = std::find_if(comparison.metrics.begin(), comparison.metrics.end(),
                                    [&](const Metric& metric) { return metric.name == name; });
    return *found;
}

TEST(CompareRuns, ReportsWhichPartOfTheStepChanged)
{
    const Comparison comparison = compareRuns(runOf(4ms, "gemm_a"), runOf(6ms, "gemm_a"), 0.02);
    EXPECT_EQ(comparison.verdict(), Verdict::Worse);
    EXPECT_EQ(metricOf(comparison, "compute_ns").verdict, Verdict::Worse);
    EXPECT_EQ(metricOf(comparison, "communication_ns").verdict, Verdict::Same);
    EXPECT_NEAR(metricOf(comparison, "compute_ns").now.median, 6e6, 1e3);
    ASSERT_EQ(comparison.kernels.size(), 1U);
    EXPECT_EQ(comparison.kernels[0].kind, Kind::Slower);
    EXPECT_NEAR(comparison.kernels[0].differenceNs(), 2e6, 1e3);
    EXPECT_TRUE(comparison.collectives.empty());
    EXPECT_EQ(comparison.remarks, std::vector<std::string>{report::kAllEmulated});
    EXPECT_NE(textOf(comparison, false, 80).find("Worse: the step takes"), std::string::npos);
}

/// Every tenth step is longer by so much, as by a checkpoint.
report::Report runWithStalls(std::chrono::nanoseconds stall)
{
    test::TraceBuilder trace(2);
    int number = 0;
    trace.steps(80, [&](test::StepBuilder& step) {
        step.everyRank().compute(4ms + (++number % 10 == 0 ? stall : 0ms));
        step.allReduce(std::uint64_t{4} << 20U, {.takes = 1ms});
    });
    return report::buildReport(trace.run(), {});
}

/// The kernels "a" of both runs take the same time in the mean, as far as chance lets them; "b" is longer by
/// `more`.
report::Report noisyRun(unsigned seed, std::chrono::nanoseconds more, int steps = 40)
{
    std::mt19937_64 random(seed);
    std::normal_distribution<double> noise(0, 0.6e6);
    const auto about = [&](std::chrono::nanoseconds length) {
        return length + std::chrono::nanoseconds(std::llround(std::clamp(noise(random), -1.8e6, 1.8e6)));
    };
    test::TraceBuilder trace(2);
    trace.steps(steps, [&](test::StepBuilder& step) {
        step.everyRank().compute(about(4ms), {.kernel = "a"}).compute(about(4ms + more), {.kernel = "b"});
        step.allReduce(std::uint64_t{4} << 20U, {.takes = 1ms});
    });
    return report::buildReport(trace.run(), {});
}

TEST(CompareRuns, ListsKernelsThatChangedByMoreThanTheirSteps)
{
    std::size_t wrong = 0;
    for (unsigned seed = 1; seed <= 40; ++seed) {
        wrong += compareRuns(noisyRun(2 * seed, 0ms), noisyRun(2 * seed + 1, 0ms), 0.02).kernels.size();
    }
    EXPECT_LE(wrong, 2U) << "of 80 without a change";
    for (unsigned seed = 1; seed <= 5; ++seed) {
        const Comparison comparison =
            compareRuns(noisyRun(2 * seed, 0ms), noisyRun(2 * seed + 1, 1500us), 0.02);
        ASSERT_GE(comparison.kernels.size(), 1U);
        EXPECT_EQ(comparison.kernels[0].name, "b");
        EXPECT_EQ(comparison.kernels[0].kind, Kind::Slower);
    }
    EXPECT_TRUE(compareRuns(noisyRun(1, 0ms, 6), noisyRun(2, 3ms, 6), 0.02).kernels.empty())
        << "too few steps to know";
}

TEST(CompareRuns, OfAFewLongStepsIsWorseThoughTheMedianStepIsNot)
{
    const Comparison comparison = compareRuns(runWithStalls(0ms), runWithStalls(60ms), 0.02);
    EXPECT_EQ(comparison.metrics.front().verdict, Verdict::Same);
    EXPECT_EQ(metricOf(comparison, "mean_step_ns").verdict, Verdict::Worse);
    EXPECT_EQ(comparison.verdict(), Verdict::Worse);
    const std::string sentence = sentenceOf(comparison);
    EXPECT_NE(sentence.find("ms in the mean"), std::string::npos) << sentence;
    EXPECT_NE(sentence.find("the median is 5."), std::string::npos) << sentence;
    EXPECT_NE(jsonOf(comparison).find("\"of\": \"means\""), std::string::npos);
    EXPECT_NE(compareRuns(runWithStalls(60ms), runWithStalls(60ms), 0.02).verdict(), Verdict::Worse);
}

/// Steps of 4 and 8 ms in turn, then so much longer.
report::Report unsteadyRun(std::chrono::nanoseconds more)
{
    test::TraceBuilder trace(2);
    std::mt19937_64 random(7);
    trace.steps(16, [&](test::StepBuilder& step) {
        step.everyRank().compute(more + (random() % 2 == 0 ? 4ms : 8ms));
        step.allReduce(std::uint64_t{4} << 20U, {.takes = 1ms});
    });
    return report::buildReport(trace.run(), {});
}

TEST(CompareRuns, ReportsWhatWouldMakeItConclusive)
{
    const Comparison unsteady = compareRuns(unsteadyRun(0ns), unsteadyRun(300us), 0.02);
    ASSERT_EQ(unsteady.verdict(), Verdict::Inconclusive);
    const std::string sentence = sentenceOf(unsteady);
    EXPECT_NE(sentence.find("steps of each run would be conclusive"), std::string::npos) << sentence;
    EXPECT_NE(jsonOf(unsteady).find("\"steps_needed\": "), std::string::npos);

    const Comparison few = compareRuns(runOf(4ms, "gemm", 2, 1), runOf(6ms, "gemm", 2, 12), 0.02);
    ASSERT_EQ(few.verdict(), Verdict::Inconclusive);
    EXPECT_NE(sentenceOf(few).find("the base has 1 step"), std::string::npos) << sentenceOf(few);
    EXPECT_NE(sentenceOf(few).find("at least 5"), std::string::npos) << sentenceOf(few);
}

TEST(CompareRuns, NamesTheRunThatHasNoSteps)
{
    const Comparison none = compareRuns(report::buildReport({}, {}), runOf(4ms, "gemm"), 0.02);
    EXPECT_NE(sentenceOf(none).find("no step was found in the base"), std::string::npos) << sentenceOf(none);
    const Comparison other = compareRuns(runOf(4ms, "gemm"), report::buildReport({}, {}), 0.02);
    EXPECT_NE(sentenceOf(other).find("no step was found in the new run"), std::string::npos);
}

TEST(CompareRuns, CountsCollectivesAStepAlsoByCudaEvents)
{
    const auto eventRun = [](std::chrono::nanoseconds takes) {
        test::TraceBuilder trace(2);
        trace.withCudaEvents().steps(12, [&](test::StepBuilder& step) {
            step.everyRank().compute(4ms);
            step.allReduce(std::uint64_t{4} << 20U, {.takes = takes});
        });
        return report::buildReport(trace.run(), {});
    };
    const Comparison comparison = compareRuns(eventRun(1ms), eventRun(2ms), 0.02);
    ASSERT_EQ(comparison.collectives.size(), 1U);
    EXPECT_NEAR(comparison.collectives[0].differenceNs(), 1e6, 1e3);
    EXPECT_FALSE(metricOf(comparison, "compute_ns").change.has_value());
}

TEST(CompareRuns, DistinguishesAddedKernelsFromRemovedOnes)
{
    const Comparison comparison = compareRuns(runOf(4ms, "gemm_a"), runOf(4ms, "gemm_b"), 0.02);
    EXPECT_EQ(comparison.verdict(), Verdict::Same);
    ASSERT_EQ(comparison.kernels.size(), 2U);
    EXPECT_NE(comparison.kernels[0].kind, comparison.kernels[1].kind);
    for (const Item& item : comparison.kernels) {
        EXPECT_EQ(item.kind, item.name == "gemm_a" ? Kind::Removed : Kind::Added);
        EXPECT_EQ(item.baseNs.has_value(), item.name == "gemm_a");
    }
}

TEST(CompareRuns, RemarksWhatDoesNotCompare)
{
    const Comparison comparison = compareRuns(runOf(4ms, "gemm", 2), runOf(4ms, "gemm", 3), 0.02);
    ASSERT_FALSE(comparison.remarks.empty());
    EXPECT_NE(comparison.remarks[0].find("2 ranks, the new run 3"), std::string::npos);
}

TEST(CompareRuns, ReportsACommonProblemOnce)
{
    report::Report base = runOf(4ms, "gemm");
    report::Report now = runOf(4ms, "gemm");
    base.issues.push_back({trace::Issue::RecordingStopped, 1, "a disk was full"});
    base.issues.push_back({trace::Issue::ClockUnaligned, 1, "a clock was wrong"});
    now.issues.push_back({trace::Issue::RecordingStopped, 7, "a disk was full"});
    EXPECT_EQ(compareRuns(base, now, 0.02).remarks,
              (std::vector<std::string>{report::kAllEmulated, "Both runs: a disk was full",
                                        "Base: a clock was wrong"}));
}

TEST(CompareRuns, OfEmptyRunsIsInconclusive)
{
    const Comparison comparison = compareRuns(report::buildReport({}, {}), report::buildReport({}, {}), 0.02);
    EXPECT_EQ(comparison.verdict(), Verdict::Inconclusive);
    EXPECT_FALSE(comparison.metrics.front().change);
    EXPECT_NE(textOf(comparison, true, 80).find("Not comparable"), std::string::npos);
}

} // namespace
} // namespace ringside::compare
