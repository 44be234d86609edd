// SPDX-License-Identifier: Apache-2.0
// Summaries of hosts: which steps are kept, which rows, and the file.
#include "hang/hang.h"
#include "reduce/reduce.h"
#include "reduce/step_sample.h"
#include "reduce/sum_up_steps.h"
#include "reduce/summary_file.h"
#include "report/report.h"
#include "support/temporary_directory.h"
#include "support/trace_builder.h"

#include <ringside/error.h>
#include <ringside/trace/recording_windows.h>
#include <ringside/trace/write_process.h>

#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <set>

namespace ringside::reduce::reduce_test {
namespace {

using namespace test;

constexpr int kRanks = 4;
constexpr int kLate = 3;

/// Two hosts of two ranks; rank 3 computes longer than the others.
TraceBuilder builtJob(int steps)
{
    TraceBuilder builder(kRanks);
    builder.host(2, "host1", 5ms, 20).host(3, "host1", 5ms, 20);
    builder.steps(steps, [](StepBuilder& step) {
        step.everyRank().compute(3ms);
        step.rank(kLate).compute(2ms);
        step.allReduce(4_MiB, {.takes = 1ms});
    });
    return builder;
}

class Summaries : public testing::Test {
protected:
    /// Reduces every host of the job; the traces stay in another directory.
    std::vector<Reduced> reduceAll(const TraceBuilder& job, std::int64_t steps)
    {
        job.write(m_run);
        std::filesystem::create_directory(m_directory / "summaries");
        std::vector<Reduced> all;
        for (const HostRun& host : hostsOf(m_run)) {
            all.push_back(reduceHost(host, {m_directory / "summaries", steps}));
        }
        return all;
    }
    [[nodiscard]] trace::RunTrace summarized() const { return trace::openRun(m_directory / "summaries"); }

    TemporaryDirectory m_directory;
    const std::filesystem::path m_run = m_directory / "run.ringside";
};

std::vector<std::int64_t> heldBy(const StepSample& sample, std::int64_t first, std::int64_t last)
{
    std::vector<std::int64_t> held;
    for (std::int64_t number = first; number <= last; ++number) {
        if (sample.holds(number)) {
            held.push_back(number);
        }
    }
    return held;
}

TEST(StepSample, KeepsAllOfAFewSteps)
{
    EXPECT_EQ(heldBy(StepSample(1, 40, 40), 0, 50).size(), 40U);
    EXPECT_EQ(heldBy(StepSample(7, 9, 10), 0, 50), (std::vector<std::int64_t>{7, 8, 9}));
}

TEST(StepSample, KeepsNoneIfNoneAreWanted)
{
    EXPECT_TRUE(heldBy(StepSample(1, 40, 0), 0, 50).empty());
    EXPECT_TRUE(heldBy(StepSample(), -5, 5).empty());
}

TEST(StepSample, SpreadsBlocksOverTheRun)
{
    const std::vector<std::int64_t> held = heldBy(StepSample(0, 999, 40), -20, 1100);
    ASSERT_EQ(held.size() % kBlockWidth, 0U);
    EXPECT_LE(held.size(), static_cast<std::size_t>(4 * kBlockWidth));
    EXPECT_GE(held.size(), static_cast<std::size_t>(2 * kBlockWidth));
    EXPECT_GT(held.back() - held.front(), 400);
    EXPECT_EQ(held[kBlockWidth - 1] - held[0], kBlockWidth - 1);
}

TEST(StepSample, KeepsAWholeBlockWhateverTheNumbers)
{
    for (const std::int64_t first : {-1000, -7, 0, 1, 11, 12, 13, 999}) {
        for (const std::int64_t count : {23, 24, 60, 100, 5000}) {
            const std::vector<std::int64_t> held =
                heldBy(StepSample(first, first + count - 1, kBlockSteps), first, first + count);
            EXPECT_GE(held.size(), static_cast<std::size_t>(kBlockWidth)) << first << " " << count;
        }
    }
}

TEST(StepSample, HostsOfWhichOneHasMoreStepsKeepTheSameOrOneAPartOfTheOthers)
{
    for (std::int64_t last = 100; last < 2000; last += 7) {
        const auto shorter = heldBy(StepSample(1, last, 40), 1, last);
        const auto longer = heldBy(StepSample(1, last + 3, 40), 1, last);
        EXPECT_TRUE(std::ranges::includes(shorter, longer) || std::ranges::includes(longer, shorter)) << last;
    }
}

TEST(StepSample, TakesNumbersOfStrangers)
{
    constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
    EXPECT_FALSE(StepSample(-kMost, kMost, 40).holds(0));
    EXPECT_FALSE(StepSample(kMost, -kMost, 40).holds(0));
    EXPECT_TRUE(StepSample(0, std::int64_t{1} << 60, 40).holds(0));
}

TEST_F(Summaries, NameTheSameLateRankAsTheTraces)
{
    const report::Report whole = report::buildReport(builtJob(100).run(), {});
    reduceAll(builtJob(100), 40);
    const report::Report report = report::buildReport(summarized(), {});
    ASSERT_FALSE(whole.findings.empty());
    ASSERT_FALSE(report.findings.empty());
    EXPECT_EQ(report.findings.front().rule, "late_rank");
    EXPECT_EQ(report.findings.front().rule, whole.findings.front().rule);
    EXPECT_THAT(report.findings.front().ranks, testing::ElementsAre(kLate));
    EXPECT_TRUE(std::ranges::none_of(report.issues, [](const trace::IssueRow& issue) {
        return issue.is(trace::Issue::CollectiveMismatch);
    }));
}

TEST_F(Summaries, SayHowManyStepsTheyAreOf)
{
    const auto reduced = reduceAll(builtJob(100), 40);
    ASSERT_EQ(reduced.size(), 2U);
    EXPECT_EQ(reduced[0].file.filename(), "host0.summary.db");
    EXPECT_EQ(reduced[0].processes, 2U);
    EXPECT_EQ(reduced[0].steps, 100U);
    EXPECT_EQ(reduced[0].wholeSteps, reduced[1].wholeSteps);
    const report::Report report = report::buildReport(summarized(), {});
    ASSERT_TRUE(report.allSteps);
    EXPECT_EQ(report.allSteps->summaries, 4U);
    EXPECT_EQ(report.allSteps->steps, 100U);
    EXPECT_FALSE(report.allSteps->onHost);
    EXPECT_LT(report.model.analyzedSteps.size(), 100U);
    EXPECT_GE(report.model.analyzedSteps.size(), 20U);
    EXPECT_EQ(report.allSteps->traceFolders, std::vector<std::string>{m_run.string()});
}

TEST_F(Summaries, KeepAStepsFiguresAsTheReportHasThem)
{
    const report::Report whole = report::buildReport(builtJob(60).run(), {});
    reduceAll(builtJob(60), 0);
    const trace::RunTrace run = summarized();
    for (std::size_t rank = 0; rank < kRanks; ++rank) {
        const trace::ProcessTrace& process = run.processes[rank];
        EXPECT_TRUE(process.kernels.startNs.empty());
        ASSERT_EQ(process.stepSummaries.size(), 60U);
        const metrics::RankMetrics& metrics = whole.metrics.ranks[rank];
        for (std::size_t i = 0; i < metrics.steps.size(); ++i) {
            const trace::StepSummaryRow& row = process.stepSummaries[i + 1]; // the first is a boundary
            EXPECT_EQ(row.deviceStartNs, metrics.windows[i].start);
            EXPECT_EQ(row.deviceEndNs, metrics.windows[i].end);
            EXPECT_EQ(row.computeNs, metrics.steps[i].computeNs);
            EXPECT_EQ(row.communicationNs, metrics.steps[i].communicationNs);
            EXPECT_EQ(row.idleNs, metrics.steps[i].idleNs);
            EXPECT_EQ(row.collectives, 1);
        }
        EXPECT_FALSE(process.stepSummaries.front().computeNs);
    }
}

TEST_F(Summaries, SumUpTheSameInStretches)
{
    builtJob(60).write(m_run);
    const HostRun host = hostsOf(m_run).front();
    const auto whole = sumUpSteps(host);
    const auto cut = sumUpSteps(host, 1);
    ASSERT_EQ(whole.size(), cut.size());
    for (std::size_t i = 0; i < whole.size(); ++i) {
        ASSERT_EQ(whole[i].size(), 60U);
        ASSERT_EQ(cut[i].size(), 60U);
        for (std::size_t step = 0; step < whole[i].size(); ++step) {
            EXPECT_EQ(cut[i][step].id, whole[i][step].id);
            EXPECT_EQ(cut[i][step].computeNs, whole[i][step].computeNs) << step;
            EXPECT_EQ(cut[i][step].deviceEndNs, whole[i][step].deviceEndNs) << step;
            EXPECT_EQ(cut[i][step].launches, whole[i][step].launches);
        }
    }
}

TEST_F(Summaries, LeaveOutOtherStepsAndSayIt)
{
    reduceAll(builtJob(200), 20);
    const trace::RunTrace run = summarized();
    ASSERT_EQ(run.processes.size(), 4U);
    for (const trace::ProcessTrace& process : run.processes) {
        EXPECT_FALSE(process.summaryOf.empty());
        EXPECT_EQ(process.stepSummaries.size(), 200U);
        EXPECT_LT(process.launches.size(), 200U);
        EXPECT_GT(process.launches.size(), 20U);
        EXPECT_EQ(process.kernels.size() + process.copies.size(), process.launches.size());
        EXPECT_LE(process.steps.size() + process.ranges.size(), 100U);
        EXPECT_FALSE(process.windows.empty());
        EXPECT_TRUE(std::ranges::any_of(process.windows, [](const trace::WindowRow& window) {
            return window.level == "paused" && window.why == trace::kNotInSummary;
        }));
        std::set<std::int64_t> sequences;
        for (const trace::CollectiveCallRow& call : process.collectiveCalls) {
            sequences.insert(call.sequence);
        }
        EXPECT_TRUE(sequences.contains(199)) << "the last call";
        EXPECT_LT(sequences.size(), 60U);
    }
}

TEST_F(Summaries, OfEqualTracesAreEqualBytes)
{
    const auto first = reduceAll(builtJob(60), 20);
    std::vector<std::string> before;
    for (const Reduced& each : first) {
        before.push_back(contentOf(each.file));
    }
    std::size_t i = 0;
    for (const HostRun& host : hostsOf(m_run)) {
        EXPECT_EQ(contentOf(reduceHost(host, {m_directory / "summaries", 20}).file), before[i++]);
    }
}

TEST_F(Summaries, BesideTheTracesAreNotReadTwice)
{
    builtJob(60).write(m_run);
    for (const HostRun& host : hostsOf(m_run)) {
        reduceHost(host, {m_run, 20});
    }
    EXPECT_EQ(trace::openRun(m_run).processes.size(), 4U);
    EXPECT_FALSE(report::buildReport(trace::openRun(m_run), {}).allSteps);
    EXPECT_EQ(hostsOf(m_run).front().processes.size(), 2U);
}

TEST_F(Summaries, OfSomeHostsAreReadWithTheTracesOfOthers)
{
    reduceAll(builtJob(100), 20);
    for (const auto& entry : std::filesystem::directory_iterator(m_run)) {
        if (entry.path().filename().string().starts_with("host1-")) {
            std::filesystem::copy(entry.path(), m_directory / "summaries");
        }
    }
    const trace::RunTrace run = summarized();
    ASSERT_EQ(run.processes.size(), 4U);
    EXPECT_EQ(std::ranges::count(run.processes, "", &trace::ProcessTrace::summaryOf), 2);
    const report::Report report = report::buildReport(run, {});
    EXPECT_EQ(report.model.ranks.size(), 4U);
    EXPECT_THAT(report.findings.front().ranks, testing::ElementsAre(kLate));
    EXPECT_EQ(report.allSteps.value().summaries, 2U);
    std::filesystem::copy(std::filesystem::directory_iterator(m_run)->path(),
                          m_directory / "summaries" / "merged.db");
    EXPECT_EQ(summarized().processes.size(), 3U) << "no summary beside a trace that may be of any host";
}

TEST_F(Summaries, ReplaceNoOtherFile)
{
    builtJob(30).write(m_run);
    const HostRun host = hostsOf(m_run).front();
    std::ofstream(m_run / "host0.summary.db") << "somebody's";
    EXPECT_THROW(reduceHost(host, {m_run, 20}), Error);
    EXPECT_EQ(contentOf(m_run / "host0.summary.db"), "somebody's");
    std::filesystem::copy_file(host.processes.front().file, m_directory / "host0.summary.db");
    EXPECT_THROW(reduceHost(host, {m_directory.path(), 20}), Error);
}

TEST_F(Summaries, AreNotMadeOfSummaries)
{
    reduceAll(builtJob(30), 20);
    const auto hosts = hostsOf(m_directory / "summaries");
    ASSERT_EQ(hosts.size(), 2U);
    EXPECT_THROW(reduceHost(hosts.front(), {m_directory.path(), 20}), Error);
}

TEST_F(Summaries, KeepStepsOfTheTimeInWhichTheDeviceWasRecorded)
{
    TraceBuilder builder = builtJob(100);
    for (int rank = 0; rank < kRanks; ++rank) {
        trace::ProcessTrace& process = builder.process(rank);
        const std::int64_t from = process.steps[40].startNs;
        const std::int64_t to = process.steps[60].startNs;
        process.windows = {{trace::LevelName("light"), process.process.startNs, from, ""},
                           {trace::LevelName("standard"), from, to, ""},
                           {trace::LevelName("light"), to, std::nullopt, ""}};
    }
    const auto reduced = reduceAll(builder, 30);
    EXPECT_EQ(reduced.front().wholeSteps, 20U);
    const report::Report report = report::buildReport(summarized(), {});
    ASSERT_FALSE(report.model.analyzedSteps.empty());
    EXPECT_GE(report.model.analyzedSteps.front(), 41);
    EXPECT_LE(report.model.analyzedSteps.back(), 60);
    EXPECT_EQ(report.findings.front().ranks, std::vector<std::int64_t>{kLate});
}

TEST_F(Summaries, ShowInWhichCollectiveTheJobHangs)
{
    TraceBuilder builder = builtJob(60);
    trace::ProcessTrace& stuck = builder.process(1);
    stuck.collectiveCalls.pop_back();
    for (int rank = 0; rank < kRanks; ++rank) {
        trace::ProcessTrace& process = builder.process(rank);
        process.process.endNs.reset();
        process.hangs.push_back({1, 2, 1, std::nullopt, "in a call"});
    }
    reduceAll(builder, 10);
    const std::vector<hang::ProcessNow> now(kRanks, {hang::Life::Running, std::nullopt, false});
    const hang::Report expected = hang::analyze(builder.run(), now, {0});
    const hang::Report found = hang::analyze(summarized(), now, {0});
    ASSERT_EQ(expected.collectives.size(), 1U);
    ASSERT_EQ(found.collectives.size(), 1U);
    EXPECT_EQ(found.collectives.front().order, expected.collectives.front().order);
    EXPECT_THAT(found.collectives.front().missing, testing::ElementsAre(1));
}

TEST_F(Summaries, ThinSamplesButKeepTheFirstTheLastAndAllEvents)
{
    TraceBuilder builder = builtJob(100);
    const trace::ProcessTrace& process = builder.process(0);
    constexpr std::int64_t kSamples = 500;
    const std::int64_t behind = process.steps.back().endNs; // of all steps
    const trace::SeriesRow power = trace::seriesRow(trace::SeriesName::Power, 0, "gpu0");
    const trace::SeriesRow xid = trace::seriesRow(trace::SeriesName::Xid, 0, "gpu0");
    for (std::int64_t i = 0; i < kSamples; ++i) {
        builder.sample(0, power, behind + i, i);
        builder.sample(0, xid, behind + i, i);
    }
    reduceAll(builder, 10);
    const trace::RunTrace run = summarized();
    const trace::ProcessTrace& kept = run.processes[0];
    std::map<std::uint32_t, std::vector<std::int64_t>> values;
    for (std::size_t i = 0; i < kept.samples.size(); ++i) {
        values[kept.samples.series[i]].push_back(kept.samples.value[i]);
    }
    for (const trace::SeriesRow& series : kept.series) {
        const auto& of = values[static_cast<std::uint32_t>(series.id)];
        ASSERT_FALSE(of.empty());
        EXPECT_EQ(of.front(), 0);
        EXPECT_EQ(of.back(), kSamples - 1);
        EXPECT_EQ(of.size() == kSamples, series.kind == "event") << of.size();
    }
    EXPECT_EQ(kept.series.size(), 2U);
}

TEST_F(Summaries, NeedMarkedSteps)
{
    TraceBuilder builder(1);
    builder.withoutStepMarks().steps(30, [](StepBuilder& step) { step.allReduce(4_MiB); });
    builder.write(m_run);
    EXPECT_THROW(reduceHost(hostsOf(m_run).front(), {m_directory.path(), 20}), Error);
}

TEST_F(Summaries, HaveTheSumsThatTheProcessMadeItself)
{
    TraceBuilder builder = builtJob(40);
    trace::StepSummaryRow row;
    row.id = 1;
    row.number = 1;
    row.source = trace::SummarySource("mark");
    row.launches = 12345;
    builder.process(0).stepSummaries.push_back(row);
    reduceAll(builder, 20);
    const trace::RunTrace run = summarized();
    ASSERT_EQ(run.processes[0].stepSummaries.size(), 1U);
    EXPECT_EQ(run.processes[0].stepSummaries.front().launches, 12345);
    EXPECT_EQ(run.processes[1].stepSummaries.size(), 40U);
}

TEST_F(Summaries, ShowAPhaseThatTheKeptStepsMayMiss)
{
    TraceBuilder builder(2);
    builder.host(1, "host1");
    const auto describe = [](auto compute) {
        return [compute](StepBuilder& step) {
            step.everyRank().compute(compute);
            step.allReduce(4_MiB, {.takes = 1ms});
        };
    };
    builder.steps(180, describe(3ms)).steps(20, describe(6ms));
    reduceAll(builder, 10);
    const report::Report report = report::buildReport(summarized(), {});
    ASSERT_TRUE(report.allSteps);
    ASSERT_EQ(report.allSteps->parts.size(), 10U);
    EXPECT_GT(report.allSteps->parts.back().medianNs, report.allSteps->medianNs.value() * 3 / 2);
    const auto lines = report::allStepsLines(report.allSteps, report.model.analyzedSteps.size());
    EXPECT_THAT(lines, testing::Contains(testing::HasSubstr("Steps 181 to 200 are")));
}

TEST(SummaryName, IsAFileName)
{
    EXPECT_EQ(summaryName("node1"), "node1.summary.db");
    EXPECT_EQ(summaryName("../etc"), ".._etc.summary.db");
    EXPECT_EQ(summaryName(""), "unknown.summary.db");
    EXPECT_LT(summaryName(std::string(5000, 'a')).size(), 255U);
}

} // namespace
} // namespace ringside::reduce::reduce_test
