// SPDX-License-Identifier: Apache-2.0
// Runs as others record them, in stretches and as a whole: with device work in a part only, with ranks that
// end early, with files that lack something.
#include "stretches/long_report.h"
#include "support/said.h"
#include "support/temporary_directory.h"
#include "support/trace_builder.h"
#include "trace/tables.h"
#include "trace/write/database.h"

#include <ringside/error.h>

#include <sqlite3.h>

#include <gtest/gtest.h>

#include <filesystem>
#include <functional>

namespace ringside::stretches {
namespace {

using namespace test;

constexpr int kRanks = 4;
constexpr int kSteps = 120;

TraceBuilder lateRank()
{
    TraceBuilder trace(kRanks);
    trace.steps(kSteps, [](StepBuilder& step) {
        step.everyRank().compute(3ms);
        step.rank(2).compute(2ms);
        step.allReduce(4_MiB);
        step.allGather(64_KiB);
    });
    return trace;
}

/// Keeps the rows of a table for which `isKept(start)` holds.
template <class Row>
void keepRows(typename trace::TableOf<Row>::Columns& columns, const std::function<bool(std::int64_t)>& isKept)
{
    typename trace::TableOf<Row>::Columns kept;
    for (std::size_t i = 0; i < columns.size(); ++i) {
        if (isKept(columns.startNs[i])) {
            trace::TableOf<Row>::forEachColumn([&](const char*, trace::Encoding, auto, auto column) {
                (kept.*column).push_back((columns.*column)[i]);
            });
        }
    }
    columns = std::move(kept);
}

std::int64_t beginOfStep(const trace::ProcessTrace& process, std::size_t step)
{
    return process.steps.at(step).startNs;
}

/// Removes device work that the host launched outside of the steps [first, last).
void measureOnly(trace::ProcessTrace& process, std::size_t first, std::size_t last)
{
    const std::int64_t begin = beginOfStep(process, first);
    const std::int64_t end = beginOfStep(process, last);
    const auto within = [=](std::int64_t ns) { return ns >= begin && ns < end; };
    keepRows<trace::KernelRow>(process.kernels, within);
    keepRows<trace::CopyRow>(process.copies, within);
    keepRows<trace::LaunchRow>(process.launches, within);
}

std::filesystem::path firstOf(const std::filesystem::path& run)
{
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(run)) {
        files.push_back(entry.path());
    }
    return *std::ranges::min_element(files);
}

/// Another file of the run, which sorts before the others.
std::filesystem::path copyOfFirst(const std::filesystem::path& run)
{
    std::filesystem::path copy = run / "a-1.db";
    std::filesystem::copy_file(firstOf(run), copy);
    return copy;
}

std::string withoutWork()
{
    return "DELETE FROM kernel_chunk; DELETE FROM copy_chunk; DELETE FROM launch_chunk; "
           "DELETE FROM api_call_chunk; DELETE FROM call_correlation_chunk";
}

void change(const std::filesystem::path& file, const std::string& sql)
{
    trace::Database(file, SQLITE_OPEN_READWRITE).execute(sql);
}

class StretchRuns : public testing::Test {
protected:
    std::filesystem::path write(const TraceBuilder& trace) const
    {
        std::filesystem::path path = m_folder.path() / "run.ringside";
        trace.write(path);
        return path;
    }
    static report::Report whole(const std::filesystem::path& path)
    {
        return report::buildReport(trace::openRun(path), {});
    }
    static std::optional<report::Report> cut(const std::filesystem::path& path)
    {
        return buildLongReport({path, {}, {}, 1});
    }
    /// Expects the same figures from both ways of reading, and returns the report in stretches.
    static report::Report expectEqual(const std::filesystem::path& path)
    {
        report::Report all = whole(path);
        auto parts = cut(path);
        EXPECT_TRUE(parts.has_value());
        if (!parts) {
            return all;
        }
        EXPECT_EQ(parts->model.analyzedSteps, all.model.analyzedSteps);
        EXPECT_EQ(parts->model.stepCoverage.found, all.model.stepCoverage.found);
        EXPECT_EQ(parts->model.stepCoverage.withoutDevice, all.model.stepCoverage.withoutDevice);
        EXPECT_EQ(parts->model.stepCoverage.notEverywhere, all.model.stepCoverage.notEverywhere);
        EXPECT_EQ(parts->model.stepCoverage.boundary, all.model.stepCoverage.boundary);
        EXPECT_EQ(parts->model.hasDeviceData(), all.model.hasDeviceData());
        EXPECT_EQ(parts->metrics.total().computeNs, all.metrics.total().computeNs);
        EXPECT_EQ(parts->metrics.total().waitNs, all.metrics.total().waitNs);
        EXPECT_EQ(parts->verdict.limitedBy, all.verdict.limitedBy);
        EXPECT_EQ(parts->issues.size(), all.issues.size());
        for (const trace::IssueRow& issue : all.issues) {
            const auto same = std::ranges::find(parts->issues, issue.id, &trace::IssueRow::id);
            EXPECT_NE(same, parts->issues.end()) << issue.id;
            EXPECT_EQ(same == parts->issues.end() ? 0 : same->count, issue.count) << issue.id;
        }
        for (const metrics::RankMetrics& rank : parts->metrics.ranks) {
            EXPECT_EQ(rank.steps.size(), parts->model.analyzedSteps.size());
        }
        return std::move(*parts);
    }

    TemporaryDirectory m_folder;
};

TEST_F(StretchRuns, AreTheSameWhereAllIsMeasured)
{
    EXPECT_EQ(expectEqual(write(lateRank())).stretches, 6U);
}

TEST_F(StretchRuns, DeviceWorkWasRecordedInAWindow)
{
    TraceBuilder trace = lateRank();
    for (int rank = 0; rank < kRanks; ++rank) {
        measureOnly(trace.process(rank), 25, 75);
    }
    const report::Report report = expectEqual(write(trace));
    const auto late = std::ranges::find(report.findings, "late_rank", &rules::Finding::rule);
    ASSERT_NE(late, report.findings.end());
    EXPECT_NE(said(late->title).find("of 3 stretches"), std::string::npos)
        << "the others were not measured: " << said(late->title);
}

/// Device work goes on to be recorded behind the window, so that its last step is complete.
TEST_F(StretchRuns, WorkBehindTheWindowIsNoStep)
{
    TraceBuilder trace = lateRank();
    for (int rank = 0; rank < kRanks; ++rank) {
        trace::ProcessTrace& process = trace.process(rank);
        measureOnly(process, 25, 110);
        const std::int64_t begin = beginOfStep(process, 25);
        const std::int64_t end = beginOfStep(process, 75);
        process.windows = {
            {"light", 0, begin, ""}, {"standard", begin, end, ""}, {"light", end, std::nullopt, ""}};
    }
    expectEqual(write(trace));
}

TEST_F(StretchRuns, RanksMeasuredDifferentSteps)
{
    TraceBuilder trace = lateRank();
    for (int rank = 0; rank < kRanks; ++rank) {
        measureOnly(trace.process(rank), 10 + 13 * static_cast<std::size_t>(rank), 80);
    }
    expectEqual(write(trace));
}

TEST_F(StretchRuns, ARankStopsBeforeTheOthers)
{
    TraceBuilder trace = lateRank();
    trace::ProcessTrace& dead = trace.process(1);
    const std::int64_t end = beginOfStep(dead, 70);
    const auto before = [end](std::int64_t ns) { return ns < end; };
    keepRows<trace::KernelRow>(dead.kernels, before);
    keepRows<trace::LaunchRow>(dead.launches, before);
    std::erase_if(dead.collectiveCalls, [end](const auto& call) { return call.startNs >= end; });
    std::erase_if(dead.steps, [end](const auto& step) { return step.startNs >= end; });
    expectEqual(write(trace));
}

TEST_F(StretchRuns, CallsThatOneRankLacksAreCountedOnce)
{
    TraceBuilder trace = lateRank();
    for (const std::size_t step : {19U, 20U, 21U, 40U, 63U}) { // at cuts, too
        trace::ProcessTrace& process = trace.process(3);
        const std::int64_t begin = beginOfStep(process, step);
        const auto lost = std::ranges::find_if(process.collectiveCalls,
                                               [begin](const auto& call) { return call.startNs >= begin; });
        process.collectiveCalls.erase(lost);
    }
    expectEqual(write(trace));
}

TEST_F(StretchRuns, FewMeasuredStepsAreBetterReadAsAWhole)
{
    TraceBuilder trace = lateRank();
    for (int rank = 0; rank < kRanks; ++rank) {
        measureOnly(trace.process(rank), 50, 54);
    }
    EXPECT_FALSE(cut(write(trace)).has_value());
}

TEST_F(StretchRuns, AProcessThatEndedBeforeItsFirstCommitIsNamed)
{
    const std::filesystem::path path = write(lateRank());
    change(copyOfFirst(path), "DELETE FROM process; DELETE FROM rank; DELETE FROM communicator; "
                              "DELETE FROM collective_call; DELETE FROM step_mark; DELETE FROM user_range; " +
                                  withoutWork());
    const report::Report report = expectEqual(path);
    EXPECT_TRUE(std::ranges::any_of(
        report.issues, [](const trace::IssueRow& issue) { return issue.is(trace::Issue::NoProcessRow); }));
}

TEST_F(StretchRuns, ATableThatIsDamagedIsReadAsFarAsItGoes)
{
    const std::filesystem::path path = write(lateRank());
    change(firstOf(path), "DROP TABLE step_mark; DELETE FROM user_range");
    EXPECT_FALSE(cut(path).has_value()) << "its steps are not known beforehand";
    EXPECT_FALSE(whole(path).model.ranks.empty());
}

/// A helper of a data loader has its parent's environment, and so its rank.
TEST_F(StretchRuns, AHelperWithTheSameRankIsNotTheRank)
{
    const std::filesystem::path path = write(lateRank());
    change(copyOfFirst(path),
           "DELETE FROM collective_call; DELETE FROM step_mark; DELETE FROM user_range; " + withoutWork());
    expectEqual(path);
}

/// Process 0 of a team whose others would wait for ever.
class LonelyTeam final : public Team {
public:
    explicit LonelyTeam(std::filesystem::path lost) : m_lost(std::move(lost)) {}
    [[nodiscard]] std::size_t rank() const override { return 0; }
    [[nodiscard]] std::size_t size() const override { return 2; }
    [[nodiscard]] std::uint64_t agree(std::uint64_t value) override
    {
        std::filesystem::remove(m_lost); // after the run was planned
        return value;
    }
    void send(const std::string&) override {}
    [[nodiscard]] std::string receive(std::size_t) override { return "fnothing"; }
    void abandon() override { abandoned = true; }

    bool abandoned = false;

private:
    std::filesystem::path m_lost;
};

TEST_F(StretchRuns, ATeamDoesNotWaitForAProcessThatFails)
{
    const std::filesystem::path path = write(lateRank());
    LonelyTeam team(firstOf(path));
    EXPECT_THROW(static_cast<void>(buildLongReport({path, {}, {}, 1}, {}, &team)), Error);
    EXPECT_TRUE(team.abandoned);
}

} // namespace
} // namespace ringside::stretches
