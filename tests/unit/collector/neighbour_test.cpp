// SPDX-License-Identifier: Apache-2.0
// Another client of CUPTI beside the device tier (fake/kineto.h, both kinds): it gets the same records as
// without the collector, and the trace states what was missed.
#include "recorded_run.h"

#include <ringside/trace/reader.h>
#include <ringside/trace/recording_windows.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

using namespace ringside;
using ringside::test::RecordedRun;

namespace {

constexpr std::size_t kKernels = 20; // of one `work`

struct Job {
    std::vector<std::string> words;
    RecordedRun::Environment environment = {"RINGSIDE_PROFILE=standard"};

    [[nodiscard]] RecordedRun run(const std::string& kind, RecordedRun::Collector collector) const
    {
        std::vector<std::string> command{"recorded_neighbour", kind};
        command.insert(command.end(), words.begin(), words.end());
        RecordedRun::Environment all = environment;
        all.push_back("LD_LIBRARY_PATH=" RINGSIDE_PLATFORM);
        return RecordedRun(command, collector, all);
    }
};

/// What the program says with and without us, for each kind of client; and the trace.
class Neighbour : public testing::TestWithParam<const char*> {
protected:
    trace::ProcessTrace record(const Job& job)
    {
        const RecordedRun without = job.run(GetParam(), RecordedRun::Collector::Absent);
        const RecordedRun with = job.run(GetParam(), RecordedRun::Collector::Preloaded);
        EXPECT_EQ(with.waitStatus, 0) << with.output;
        EXPECT_EQ(with.output, without.output);
        EXPECT_NE(with.output.find("20 kernels, 20 copies, 20 sets; 0 strange buffers, 0 at strange times"),
                  std::string::npos)
            << with.output;
        return trace::openRun(with.directory()).processes.at(0);
    }
    static const trace::IssueRow* handedOver(const trace::ProcessTrace& trace)
    {
        const auto found = std::ranges::find(trace.issues, "device_handed_over", &trace::IssueRow::id);
        return found == trace.issues.end() ? nullptr : &*found;
    }
    /// Windows in which CUPTI was another's.
    static std::vector<trace::WindowRow> gaps(const trace::ProcessTrace& trace)
    {
        std::vector<trace::WindowRow> rows;
        std::ranges::copy_if(trace.windows, std::back_inserter(rows), [](const trace::WindowRow& row) {
            return row.why.starts_with("another tool uses CUPTI");
        });
        return rows;
    }
};
INSTANTIATE_TEST_SUITE_P(Kinds, Neighbour, testing::Values("older", "newer"),
                         [](const auto& kind) { return std::string(kind.param); });

TEST_P(Neighbour, insideTheWindowMeasuresAsWithoutTheCollectorAndTheGapIsReported)
{
    const trace::ProcessTrace trace =
        record({{"wait", "work", "start", "work", "stop", "wait", "work", "end"}});
    EXPECT_EQ(trace.kernels.size(), 2 * kKernels);
    ASSERT_EQ(gaps(trace).size(), 1U);
    const trace::WindowRow gap = gaps(trace).front();
    ASSERT_TRUE(gap.endNs);
    for (std::size_t i = 0; i < trace.kernels.size(); ++i)
        EXPECT_TRUE(trace.kernels.endNs[i] <= gap.startNs || trace.kernels.startNs[i] >= *gap.endNs);
    ASSERT_NE(handedOver(trace), nullptr);
    EXPECT_EQ(handedOver(trace)->count, 1);
}

TEST_P(Neighbour, thatComesTwiceIsGivenWayTwice)
{
    const trace::ProcessTrace trace = record(
        {{"wait", "work", "start", "work", "stop", "wait", "work", "start", "work", "stop", "wait", "work"}});
    EXPECT_EQ(trace.kernels.size(), 3 * kKernels);
    EXPECT_EQ(gaps(trace).size(), 2U);
    ASSERT_NE(handedOver(trace), nullptr);
    EXPECT_EQ(handedOver(trace)->count, 2);
}

TEST_P(Neighbour, thatBeganBeforeUsIsLeftAloneUntilItEnds)
{
    const trace::ProcessTrace trace = record({{"start", "work", "stop", "wait", "work"}});
    EXPECT_EQ(trace.kernels.size(), kKernels);
    EXPECT_FALSE(gaps(trace).empty());
}

TEST_P(Neighbour, afterOurWindowMeasuresAsWithoutUs)
{
    const trace::ProcessTrace trace =
        record({{"step", "wait", "work", "step", "start", "work", "stop"},
                {"RINGSIDE_PROFILE=standard", "RINGSIDE_START_STEP=1", "RINGSIDE_STEPS=1"}});
    EXPECT_EQ(trace.kernels.size(), kKernels);
    EXPECT_TRUE(gaps(trace).empty());
    EXPECT_EQ(handedOver(trace), nullptr);
}

// A job whose profiler runs to the end: what we miss has no end either.
TEST_P(Neighbour, thatIsThereAtTheEndIsLeftAlone)
{
    const trace::ProcessTrace trace = record({{"wait", "work", "start", "work", "stop"}});
    EXPECT_EQ(trace.kernels.size(), kKernels);
    ASSERT_NE(handedOver(trace), nullptr);
    EXPECT_NE(handedOver(trace)->message.find("to the end"), std::string::npos) << handedOver(trace)->message;
}

// No other client here, but the same program: one without steps and without a communicator.
TEST(UnmarkedJob, isMeasuredFromTheBeginningAndTheTraceStatesWhenItBecameSteady)
{
    const Job job{{"train", "work"}, {"RINGSIDE_PROFILE=auto"}};
    const RecordedRun run = job.run("newer", RecordedRun::Collector::Preloaded);
    EXPECT_EQ(run.waitStatus, 0) << run.output;
    const trace::ProcessTrace trace = trace::openRun(run.directory()).processes.at(0);
    ASSERT_EQ(trace.windows.size(), 2U);
    EXPECT_TRUE(trace.windows[0].why.starts_with(trace::kWarmUp)) << trace.windows[0].why;
    EXPECT_EQ(trace.windows[1].why, "60 s from when a steady period was seen (profile auto)");
    const std::int64_t steadyNs = trace.windows[1].startNs;
    const auto& starts = trace.kernels.startNs;
    EXPECT_TRUE(std::ranges::any_of(starts, [&](std::int64_t ns) { return ns < steadyNs; }));
    EXPECT_TRUE(std::ranges::any_of(starts, [&](std::int64_t ns) { return ns > steadyNs; }));
}

// CUPTI refuses the older functions, which the collector uses, until such a client has unsubscribed: it keeps
// what it got, and the collector comes back when it may.
TEST(NeighbourOfSubscriber, hasCuptiUntilItUnsubscribes)
{
    const Job job{{"wait", "work", "start", "work", "stop", "work", "end", "wait", "work"}};
    const RecordedRun without = job.run("of_subscriber", RecordedRun::Collector::Absent);
    const RecordedRun with = job.run("of_subscriber", RecordedRun::Collector::Preloaded);
    EXPECT_EQ(with.waitStatus, 0) << with.output;
    EXPECT_EQ(with.output, without.output);
    EXPECT_NE(with.output.find("20 kernels, 20 copies, 20 sets; 0 strange buffers, 0 at strange times"),
              std::string::npos)
        << with.output;
    const trace::ProcessTrace trace = trace::openRun(with.directory()).processes.at(0);
    EXPECT_EQ(trace.kernels.size(), 2 * kKernels) << "before it subscribed and after it had gone";
    const auto tier = std::ranges::find(trace.tiers, trace::TierName("device"), &trace::TierRow::tier);
    EXPECT_TRUE(tier->active);
    EXPECT_EQ(std::ranges::count(trace.issues, "device_handed_over", &trace::IssueRow::id), 1);
}

} // namespace
