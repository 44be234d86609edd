// SPDX-License-Identifier: Apache-2.0
// Which process belongs to which rank: a program on one GPU has no rank, and helper processes have the same
// rank as the job.
#include "metrics/compute_metrics.h"
#include "metrics/metrics.h"
#include "model/build_model.h"
#include "support/trace_builder.h"

#include <ringside/error.h>

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

/// Jobs of two ranks each, in one folder; the second begins as much later than the first. TraceBuilder gives
/// each job the same names, so that they are told apart here.
trace::RunTrace twoJobs(std::chrono::nanoseconds later)
{
    trace::RunTrace run;
    run.path = "both.ringside";
    for (int job = 0; job < 2; ++job) {
        TraceBuilder trace(2);
        trace.steps(4, [](StepBuilder& step) {
            step.everyRank().compute(3ms);
            step.allReduce(1_MiB, {.takes = 1ms});
        });
        for (trace::ProcessTrace& process : trace.run().processes) {
            process.path = "both.ringside/node-" + std::to_string(run.processes.size()) + ".db";
            process.process.command = "python train.py";
            for (trace::CommunicatorRow& row : process.communicators) {
                row.hash += static_cast<std::uint64_t>(job);
            }
            for (trace::ClockSampleRow& sample : process.clockSamples) {
                sample.realtimeNs += job * later.count();
            }
            run.processes.push_back(process);
        }
    }
    return run;
}

/// The refusal of a run; empty: it is accepted.
std::string refusalOf(const trace::RunTrace& run)
{
    try {
        static_cast<void>(model::buildModel(run));
    } catch (const Error& error) {
        return std::string(error.what()) + "\n" + error.hint;
    }
    return "";
}

TEST(FindRanks, TwoJobsInOneFolderAreSaidSo)
{
    EXPECT_EQ(refusalOf(twoJobs(0s)), "both.ringside holds two jobs: node-0.db (python train.py, 2 ranks) "
                                      "and node-2.db (python train.py, 2 ranks) "
                                      "are both rank 0, and have no communicator in common\n"
                                      "`ringside roles` shows how they share the time. Give the files of one "
                                      "of them: both.ringside/node-0.db "
                                      "both.ringside/node-1.db; or both.ringside/node-2.db "
                                      "both.ringside/node-3.db");
}

TEST(FindRanks, OneJobAfterAnotherIsTwoJobsIfItIsAnotherCommandOrSize)
{
    EXPECT_EQ(refusalOf(twoJobs(3600s)), "") << "the job was started again";
    trace::RunTrace run = twoJobs(3600s);
    run.processes[2].process.command = run.processes[3].process.command = "python finetune.py";
    EXPECT_NE(refusalOf(run).find("node-2.db (python finetune.py, 2 ranks)"), std::string::npos)
        << refusalOf(run);
    run = twoJobs(3600s);
    for (const std::size_t p : {2U, 3U}) {
        run.processes[p].ranks.front().worldSize = 4;
    }
    EXPECT_NE(refusalOf(run).find("2 ranks) and node-2.db (python train.py, 4 ranks)"), std::string::npos)
        << refusalOf(run);
}

TEST(FindRanks, RestartedRanksAreAttemptsOfOneJob)
{
    trace::RunTrace run = twoJobs(0s); // the first attempt lingers while the second one begins
    for (const std::size_t p : {2U, 3U}) {
        run.processes[p].ranks.front().attempt = 1;
    }
    EXPECT_EQ(refusalOf(run), "");
    EXPECT_EQ(model::buildModel(run).ranks.front().process, 2U);
}

TEST(FindRanks, RanksByCommunicatorAreOfOneJobEvenWithoutACommunicatorOfAll)
{
    trace::RunTrace run = twoJobs(0s);
    for (trace::ProcessTrace& process : run.processes) {
        process.ranks.front().source = "communicator";
    }
    EXPECT_EQ(refusalOf(run), "") << "tensor groups of a job whose launcher named no ranks";
}

} // namespace
} // namespace ringside::test
