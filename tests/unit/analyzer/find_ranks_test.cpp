// SPDX-License-Identifier: Apache-2.0
// Which process belongs to which rank: a program on one GPU has no rank, and helper processes have the same
// rank as the job.
#include "metrics/compute_metrics.h"
#include "metrics/metrics.h"
#include "model/build_model.h"
#include "support/trace_builder.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace ringside::test {
namespace {

bool hasIssue(const model::Model& model, std::string_view id)
{
    return std::ranges::any_of(model.issues, [id](const trace::IssueRow& issue) { return issue.id == id; });
}

/// One process for each number of steps, none of which has a communicator.
trace::RunTrace processesOf(const std::vector<int>& steps)
{
    trace::RunTrace run;
    for (const int count : steps) {
        TraceBuilder trace(1);
        trace.steps(count, [](StepBuilder& step) {
            step.everyRank().copy(1_MiB, 1ms).compute(3ms);
            step.everyRank().host(2ms, "data loading");
        });
        run.processes.push_back(trace.run().processes.front());
        run.processes.back().process.pid += static_cast<std::int64_t>(run.processes.size());
    }
    return run;
}

trace::RunTrace withoutRanks(trace::RunTrace run)
{
    for (trace::ProcessTrace& process : run.processes) {
        process.ranks.clear();
        process.communicators.clear();
    }
    return run;
}

TEST(FindRanks, AProcessThatNamesNoRankIsRank0Of1)
{
    const model::Model model = model::buildModel(withoutRanks(processesOf({10})));
    ASSERT_EQ(model.ranks.size(), 1U);
    EXPECT_EQ(model.ranks.front().rank, 0);
    EXPECT_EQ(model.worldSize, 1);
    EXPECT_FALSE(hasIssue(model, "rank_unknown"));
    const metrics::RunMetrics figures = metrics::computeMetrics(model);
    ASSERT_EQ(figures.ranks.size(), 1U);
    EXPECT_EQ(figures.ranks.front().median.computeNs, 3'000'000);
    EXPECT_EQ(figures.ranks.front().median.copyNs, 1'000'000);
}

/// They may be programs of their own: nobody compares them.
TEST(FindRanks, OfSeveralThatNameNoneTheOneThatDidMostIsTaken)
{
    const model::Model model = model::buildModel(withoutRanks(processesOf({4, 20, 5})));
    ASSERT_EQ(model.ranks.size(), 1U);
    EXPECT_EQ(model.ranks.front().process, 1U);
    EXPECT_EQ(model.worldSize, 1);
    EXPECT_TRUE(hasIssue(model, "rank_unknown"));
}

TEST(FindRanks, AHelperThatNamesNoneIsLeftOutBesideOneThatDoes)
{
    trace::RunTrace run = processesOf({10, 20});
    run.processes[1].ranks.clear();
    run.processes[1].communicators.clear();
    const model::Model model = model::buildModel(run);
    ASSERT_EQ(model.ranks.size(), 1U);
    EXPECT_EQ(model.ranks.front().process, 0U);
}

TEST(FindRanks, AHelperWithTheJobsEnvironmentDoesNotSpeakForItsRank)
{
    const model::Model model = model::buildModel(processesOf({4, 20, 5}));
    ASSERT_EQ(model.ranks.size(), 1U);
    EXPECT_EQ(model.ranks.front().process, 1U);
    EXPECT_TRUE(hasIssue(model, "rank_restarted"));
}

TEST(FindRanks, TheLatestAttemptSpeaksHoweverLittleItDid)
{
    trace::RunTrace run = processesOf({20, 4});
    run.processes[1].ranks.front().attempt = 1;
    EXPECT_EQ(model::buildModel(run).ranks.front().process, 1U);
}

} // namespace
} // namespace ringside::test
