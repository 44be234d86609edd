// SPDX-License-Identifier: Apache-2.0
// Several runs side by side: how a job scales, and which GPUs are slow in all of them.
#include "compare/history.h"
#include "compare/scaling.h"
#include "json_schema.h"
#include "report/sentences.h"
#include "support/trace_builder.h"

#include <ringside/error.h>

#include <gtest/gtest.h>

#include <cctype>

namespace ringside::compare {
namespace {

using namespace std::chrono_literals;

report::Report runOf(int ranks, std::chrono::nanoseconds compute, std::chrono::nanoseconds communication)
{
    test::TraceBuilder trace(ranks);
    trace.steps(12, [&](test::StepBuilder& step) {
        step.everyRank().compute(compute);
        step.allReduce(std::uint64_t{4} << 20U, {.takes = communication});
    });
    return report::buildReport(trace.run(), {});
}

std::vector<report::Report> study(std::chrono::nanoseconds computeOfFour)
{
    std::vector<report::Report> runs;
    runs.push_back(runOf(4, computeOfFour, 6ms)); // in any order
    runs.push_back(runOf(2, 8ms, 2ms));
    return runs;
}

TEST(Scaling, OfEqualWorkARankCountsTheRanks)
{
    const Scaling scaling = scalingOf(study(8ms), Work::PerRank);
    ASSERT_EQ(scaling.points.size(), 2U);
    EXPECT_EQ(scaling.points[0].ranks, 2);
    EXPECT_EQ(scaling.points[0].speedUp, 1);
    const double stepRatio = scaling.points[0].stepNs.median / scaling.points[1].stepNs.median;
    EXPECT_NEAR(scaling.points[1].speedUp, 2 * stepRatio, 1e-9);
    EXPECT_NEAR(scaling.points[1].efficiency, stepRatio, 1e-9);
    EXPECT_NEAR(stepRatio, 10.0 / 14.0, 0.05);
    EXPECT_EQ(scaling.biggestLoss, "exposed communication");
    EXPECT_NEAR(scaling.biggestLossNs, 4e6, 1e5);
    EXPECT_EQ(scaling.remarks, std::vector<std::string>{report::kAllEmulated});
    EXPECT_FALSE(scaling.low(0.6));
    EXPECT_TRUE(scaling.low(0.8));
}

TEST(Scaling, OfSharedWorkCountsTheTime)
{
    const Scaling scaling = scalingOf(study(4ms), Work::Shared);
    EXPECT_NEAR(scaling.points[1].speedUp, 1.0, 0.05); // 10 ms on 2, 10 ms on 4 ranks
    EXPECT_NEAR(scaling.points[1].efficiency, 0.5, 0.03);
    EXPECT_EQ(scaling.biggestLoss, "exposed communication");
    EXPECT_NEAR(scaling.biggestLossNs, 5e6, 1e5); // a half of 2 ms was due
}

TEST(Scaling, ReportsThatTheWorkSeemsShared)
{
    const Scaling scaling = scalingOf(study(4ms), Work::PerRank);
    ASSERT_EQ(scaling.remarks.size(), 2U);
    EXPECT_NE(scaling.remarks[1].find("--shared-work"), std::string::npos);
    EXPECT_NE(textOf(scaling, 0.7, true, 80).find("--shared-work"), std::string::npos);
}

TEST(Scaling, RefusesWhatIsNoStudy)
{
    std::vector<report::Report> equal;
    equal.push_back(runOf(2, 8ms, 2ms));
    equal.push_back(runOf(2, 9ms, 2ms));
    EXPECT_THROW(static_cast<void>(scalingOf(equal, Work::PerRank)), Error);
    std::vector<report::Report> empty;
    empty.push_back(report::buildReport({}, {}));
    EXPECT_THROW(static_cast<void>(scalingOf(empty, Work::PerRank)), Error);
    EXPECT_THROW(static_cast<void>(scalingOf({}, Work::PerRank)), Error);
}

TEST(Scaling, JsonKeepsItsSchema)
{
    const std::string_view schema = "compare/ringside-scaling-1.schema.json";
    const std::string json = jsonOf(scalingOf(study(8ms), Work::PerRank));
    EXPECT_TRUE(test::keepsSchema(json, schema)) << json;
    Scaling unmeasured = scalingOf(study(4ms), Work::Shared);
    unmeasured.biggestLoss.reset();
    unmeasured.points[0].parts = {};
    EXPECT_TRUE(test::keepsSchema(jsonOf(unmeasured), schema));
    unmeasured.points.resize(1);
    EXPECT_FALSE(test::keepsSchema(jsonOf(unmeasured), schema)) << "one point is no study";
}

/// Four ranks, of which rank r has the GPU gpus[r]. GPU "D" computes a tenth longer than the others.
report::Report runOn(const std::string& name, const std::string& gpus)
{
    test::TraceBuilder trace(4);
    trace.steps(8, [&](test::StepBuilder& step) {
        for (int rank = 0; rank < 4; ++rank) {
            step.rank(rank).compute(gpus[static_cast<std::size_t>(rank)] == 'D' ? 11ms : 10ms);
        }
        step.allReduce(std::uint64_t{4} << 20U, {.takes = 1ms});
    });
    trace::RunTrace run = trace.run();
    run.path = name;
    for (std::size_t i = 0; i < run.processes.size(); ++i) {
        run.processes[i].process.host = "node" + std::string(1, static_cast<char>(std::toupper(gpus[i])));
        run.processes[i].devices = {{0,
                                     "H100",
                                     std::string("GPU-") + static_cast<char>(std::toupper(gpus[i])),
                                     "",
                                     std::nullopt,
                                     false,
                                     {},
                                     {},
                                     {}}};
    }
    return report::buildReport(std::move(run), {});
}

History historyOf(const std::vector<std::string>& runs)
{
    HistoryBuilder builder(0.05);
    for (const std::string& gpus : runs) {
        builder.add(runOn(gpus + ".ringside", gpus));
    }
    return builder.finish();
}

TEST(History, NamesTheGpuThatIsSlowInEveryJob)
{
    const History history = historyOf({"ABCD", "DABC", "EDFG"});
    ASSERT_EQ(history.gpus.size(), 7U);
    ASSERT_EQ(history.oftenSlow().size(), 1U);
    const GpuHistory& slow = *history.oftenSlow().front();
    EXPECT_EQ(slow.uuid, "GPU-D");
    EXPECT_EQ(slow.slowRuns(), 3U);
    EXPECT_NEAR(slow.medianExcess(), 0.1, 0.01);
    EXPECT_FALSE(slow.oneRank());
    const std::string text = textOf(history, false, 80);
    EXPECT_NE(text.find("GPU-D (GPU 0 of host nodeD) computes longer"), std::string::npos) << text;
    EXPECT_NE(text.find("different ranks"), std::string::npos) << text;
}

TEST(History, CannotTellAGpuFromTheWorkOfItsRank)
{
    const History history = historyOf({"ABCD", "EFGD"});
    ASSERT_EQ(history.oftenSlow().size(), 1U);
    EXPECT_TRUE(history.oftenSlow().front()->oneRank());
    EXPECT_NE(textOf(history, true, 80).find("it may be the work of this rank"), std::string::npos);
}

/// "d" is the GPU D on a good day: heat and power come and go.
TEST(History, NamesTheGpuThatIsSlowInHalfOfTheJobs)
{
    const History history = historyOf({"ABCD", "dABC", "EDFG", "AdBC"});
    ASSERT_EQ(history.oftenSlow().size(), 1U);
    const GpuHistory& slow = *history.oftenSlow().front();
    EXPECT_EQ(slow.uuid, "GPU-D");
    EXPECT_NEAR(slow.slowExcess(), 0.1, 0.01);
    EXPECT_NE(textOf(history, false, 200).find("in 2 of 4 runs, by 10.0 % in the median of these"),
              std::string::npos)
        << textOf(history, false, 200);
    EXPECT_TRUE(historyOf({"ABCD", "dABC", "EdFG", "AdBC"}).oftenSlow().empty()) << "once in four jobs";
    EXPECT_TRUE(historyOf({"ABCD", "DABC", "EdFG", "AdBC", "AGdE"}).oftenSlow().empty()) << "two of five";
}

TEST(History, OfOneRunOrOfEqualGpusNamesNone)
{
    EXPECT_TRUE(historyOf({"ABCD"}).oftenSlow().empty()) << "once is no history";
    EXPECT_TRUE(historyOf({"ABCE", "EABC"}).oftenSlow().empty());
    EXPECT_NE(textOf(historyOf({"ABCE", "EABC"}), false, 80).find("No GPU was more than 5.0 % slower"),
              std::string::npos);
}

TEST(History, RefusesRunsWithoutComputeAndARunThatIsGivenTwice)
{
    HistoryBuilder none(0.05);
    none.add(report::buildReport({}, {}));
    EXPECT_THROW(static_cast<void>(none.finish()), Error);
    EXPECT_THROW(historyOf({"ABCD", "ABCD"}), Error);
}

TEST(History, JsonKeepsItsSchema)
{
    const std::string_view schema = "compare/ringside-history-1.schema.json";
    History history = historyOf({"ABCD", "DABC"});
    EXPECT_TRUE(test::keepsSchema(jsonOf(history), schema)) << jsonOf(history);
    history.runs.clear();
    EXPECT_FALSE(test::keepsSchema(jsonOf(history), schema));
}

} // namespace
} // namespace ringside::compare
