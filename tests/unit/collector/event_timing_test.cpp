// SPDX-License-Identifier: Apache-2.0
// Timing by CUDA events: real processes on the CPU platform whose CUPTI is held by another tool. What the
// program gets, its last CUDA error included, is the same with and without.
#include "recorded_run.h"

#include <ringside/trace/reader.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

using namespace ringside;
using ringside::test::RecordedRun;

namespace {

RecordedRun::Environment environment(RecordedRun::Environment more)
{
    // What comes later wins.
    more.insert(more.begin(), {"LD_LIBRARY_PATH=" RINGSIDE_PLATFORM, "RINGSIDE_PROFILE=standard",
                               "RINGSIDE_PLATFORM_CUPTI=held", "RINGSIDE_CUDA_EVENTS=1"});
    return more;
}

std::vector<std::string> command(std::vector<std::string> scenes)
{
    scenes.insert(scenes.begin(), {"recorded_nccl_ranks", "watch_events"});
    return scenes;
}

std::size_t occurrences(const std::string& text, const std::string& part)
{
    std::size_t found = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
        ++found;
    }
    return found;
}

struct EventRun {
    explicit EventRun(std::vector<std::string> scenes, RecordedRun::Environment more = {})
        : run(command(std::move(scenes)), RecordedRun::Collector::Preloaded, environment(std::move(more)))
        , trace(trace::openRun(run.directory()).processes.at(0))
    {
        EXPECT_EQ(run.waitStatus, 0) << run.output;
        EXPECT_NE(run.output.find("computed "), std::string::npos) << run.output;
    }
    [[nodiscard]] trace::TierRow tier() const
    {
        const auto found = std::ranges::find(trace.tiers, trace::TierName("events"), &trace::TierRow::tier);
        return found != trace.tiers.end() ? *found : trace::TierRow{};
    }
    [[nodiscard]] std::int64_t issue(const std::string& id) const
    {
        const auto found = std::ranges::find(trace.issues, id, &trace::IssueRow::id);
        return found == trace.issues.end() ? 0 : found->count;
    }
    [[nodiscard]] std::int64_t dropped() const
    {
        const auto found = std::ranges::find(trace.drops, "event times", &trace::DropRow::what);
        return found == trace.drops.end() ? 0 : found->records;
    }
    /// Calls that ran by themselves, and those in groups, that have a time.
    [[nodiscard]] std::size_t timedCalls() const
    {
        const auto& ids = trace.eventTimes.call;
        return static_cast<std::size_t>(std::ranges::count_if(trace.collectiveCalls, [&](const auto& call) {
            const auto id = static_cast<std::uint64_t>(call.groupId != 0 ? call.groupId : call.id);
            return std::ranges::find(ids, id) != ids.end();
        }));
    }

    RecordedRun run;
    trace::ProcessTrace trace;
};

TEST(EventTiming, timesEveryCallOnItsStream)
{
    const EventRun recorded({"open", "single", "several", "close"});
    const trace::EventTimeColumns& times = recorded.trace.eventTimes;
    ASSERT_EQ(times.size(), 6U) << recorded.run.output;
    EXPECT_EQ(recorded.trace.kernels.size(), 0U);
    for (std::size_t i = 0; i < times.size(); ++i) {
        const auto call = std::ranges::find_if(recorded.trace.collectiveCalls, [&](const auto& row) {
            return static_cast<std::uint64_t>(row.id) == times.call[i];
        });
        ASSERT_NE(call, recorded.trace.collectiveCalls.end());
        EXPECT_EQ(times.stream[i], call->stream);
        const auto stream = std::ranges::find(recorded.trace.streams, call->stream, &trace::StreamRow::id);
        ASSERT_NE(stream, recorded.trace.streams.end());
        EXPECT_EQ(times.device[i], stream->device);
        constexpr std::int64_t kDriftNs = 20'000; // of two clocks in two seconds
        EXPECT_LT(times.startNs[i], times.endNs[i]);
        EXPECT_GE(times.startNs[i] + times.uncertaintyNs[i] + kDriftNs, call->startNs)
            << "an event does not happen before it was recorded";
        EXPECT_GT(times.uncertaintyNs[i], 0U);
    }
    EXPECT_TRUE(recorded.tier().active);
    EXPECT_TRUE(recorded.tier().startNs.has_value());
    EXPECT_EQ(recorded.dropped(), 0);
    EXPECT_EQ(occurrences(recorded.run.output, "ringside["), 1U) << recorded.run.output;
}

TEST(EventTiming, timesAGroupOnEachOfItsStreams)
{
    const EventRun recorded({"open", "group", "exchange", "close"});
    const trace::EventTimeColumns& times = recorded.trace.eventTimes;
    ASSERT_EQ(times.size(), 4U) << "two groups on two streams";
    std::set<std::pair<std::uint64_t, std::uint32_t>> places;
    for (std::size_t i = 0; i < times.size(); ++i) {
        EXPECT_NE(std::ranges::find(recorded.trace.groups, static_cast<std::int64_t>(times.call[i]),
                                    &trace::GroupRow::id),
                  recorded.trace.groups.end());
        places.emplace(times.call[i], times.stream[i]);
    }
    EXPECT_EQ(places.size(), 4U);
    EXPECT_EQ(recorded.timedCalls(), recorded.trace.collectiveCalls.size());
}

TEST(EventTiming, leavesACaptureAlone)
{
    const EventRun recorded({"open", "capture", "single", "close"});
    EXPECT_EQ(recorded.issue("event_time_captured"), 2);
    EXPECT_EQ(recorded.timedCalls(), 2U) << "those that ran";
}

TEST(EventTiming, continuesToQueryWhileAnotherThreadCaptures)
{
    const EventRun recorded({"open", "single", "long_capture", "single", "close"});
    EXPECT_EQ(recorded.timedCalls(), 4U) << recorded.tier().reason;
}

TEST(EventTiming, leavesTheLegacyStreamAlone)
{
    const EventRun recorded({"open", "legacy", "close"});
    EXPECT_EQ(recorded.issue("event_time_legacy_stream"), 2);
    EXPECT_EQ(recorded.trace.eventTimes.size(), 0U);
    EXPECT_NE(recorded.tier().reason.find("legacy default stream"), std::string::npos);
    EXPECT_EQ(occurrences(recorded.run.output, "legacy default stream"), 1U) << recorded.run.output;
}

TEST(EventTiming, countsCallsForWhichThereAreNoEvents)
{
    const EventRun recorded({"open", "flood", "single", "close"});
    EXPECT_GE(recorded.dropped(), 2 * (2100 - 2048));
    EXPECT_EQ(recorded.dropped() + static_cast<std::int64_t>(recorded.trace.eventTimes.size()), 2 * 2101);
    EXPECT_EQ(recorded.run.output.find("event"), std::string::npos) << recorded.run.output;
}

TEST(EventTiming, leavesTheLastErrorAsItWas)
{
    const EventRun recorded({"open", "error", "close"});
    EXPECT_EQ(recorded.timedCalls(), 2U);
    EXPECT_EQ(recorded.issue("event_time_error_pending"), 2);
}

TEST(EventTiming, endsWithTheFirstErrorAndTheProgramSeesItsOwnAlone)
{
    const EventRun recorded({"open", "single", "lost_stream", "abort"});
    EXPECT_EQ(recorded.timedCalls(), 2U);
    EXPECT_NE(recorded.tier().reason.find("failed: CUDA error 400"), std::string::npos)
        << recorded.tier().reason;
    EXPECT_EQ(occurrences(recorded.run.output, "not timed by CUDA events: cudaStreamIsCapturing failed"), 1U);
    const RecordedRun without({"recorded_nccl_ranks", "open", "single", "lost_stream", "abort"},
                              RecordedRun::Collector::Absent, environment({}));
    const auto told = [](const std::string& output) { return output.substr(output.find("result ")); };
    EXPECT_NE(recorded.run.output.find(told(without.output)), std::string::npos)
        << recorded.run.output << without.output;
}

TEST(EventTiming, doesNotTimeWhatWasNotLaunched)
{
    const EventRun recorded({"open", "refused", "single", "close"});
    EXPECT_EQ(recorded.issue("event_time_not_launched"), 1);
    EXPECT_EQ(recorded.timedCalls(), 2U);
}

TEST(EventTiming, endsWhenADeviceIsReset)
{
    const EventRun recorded({"open", "single", "close", "reset"});
    EXPECT_NE(recorded.tier().reason.find("cudaDeviceReset"), std::string::npos);
    EXPECT_EQ(static_cast<std::int64_t>(recorded.timedCalls()) + recorded.issue("event_time_not_ended"), 2);
    EXPECT_EQ(occurrences(recorded.run.output, "ringside["), 1U) << recorded.run.output;
}

TEST(EventTiming, goesOnAfterAFork)
{
    const EventRun recorded({"open", "single", "fork", "single", "close"});
    EXPECT_EQ(recorded.timedCalls(), 4U);
}

TEST(EventTiming, isNotNeededBesideCupti)
{
    const EventRun recorded({"open", "single", "close"}, {"RINGSIDE_PLATFORM_CUPTI="});
    EXPECT_FALSE(recorded.tier().active);
    EXPECT_NE(recorded.tier().reason.find("CUPTI measures"), std::string::npos);
    EXPECT_EQ(occurrences(recorded.run.output, "CUPTI measures"), 1U) << recorded.run.output;
    EXPECT_EQ(recorded.trace.eventTimes.size(), 0U);
    EXPECT_GT(recorded.trace.kernels.size(), 0U);
}

TEST(EventTiming, takesTheTurnOfACuptiThatIsLeftToTheProfiler)
{
    const EventRun recorded({"open", "single", "close"},
                            {"RINGSIDE_PROFILE=auto", "KINETO_USE_DAEMON=1", "RINGSIDE_WINDOW=60s/1s"});
    EXPECT_TRUE(recorded.tier().active) << recorded.tier().reason;
    EXPECT_EQ(recorded.timedCalls(), 2U);
}

TEST(EventTiming, isRefusedWithOneConnection)
{
    const EventRun recorded({"open", "single", "close"}, {"CUDA_DEVICE_MAX_CONNECTIONS=1"});
    EXPECT_FALSE(recorded.tier().active);
    EXPECT_EQ(occurrences(recorded.run.output, "CUDA_DEVICE_MAX_CONNECTIONS is 1"), 1U);
    EXPECT_EQ(recorded.trace.eventTimes.size(), 0U);
}

TEST(EventTiming, takesNoneBelowStandard)
{
    const RecordedRun run({"recorded_nccl_ranks", "open", "single", "close"},
                          RecordedRun::Collector::Preloaded, environment({"RINGSIDE_PROFILE=light"}));
    EXPECT_EQ(run.waitStatus, 0) << run.output;
    EXPECT_EQ(run.number("SELECT count(*) FROM tier WHERE tier = 'events' AND active = 0"), 1);
    EXPECT_EQ(trace::openRun(run.directory()).processes.at(0).eventTimes.size(), 0U);
    EXPECT_EQ(run.output.find("ringside["), std::string::npos) << run.output;
}

TEST(EventTiming, needsACudaWithItsFunctions)
{
    const RecordedRun run({"recorded_program", "calls"}, RecordedRun::Collector::Preloaded,
                          {"RINGSIDE_PROFILE=standard", "RINGSIDE_CUDA_EVENTS=1"});
    EXPECT_EQ(run.waitStatus, 0) << run.output;
    EXPECT_EQ(run.text("SELECT reason FROM tier WHERE tier = 'events'"),
              "the CUDA runtime has no cudaStreamCreateWithFlags");
    EXPECT_EQ(occurrences(run.output, "the CUDA runtime has no"), 1U) << run.output;
}

} // namespace
