// SPDX-License-Identifier: Apache-2.0
// The device tier end to end: a program on the CPU platform under the preloaded collector, with a CUPTI of
// every generation and every behaviour of RINGSIDE_PLATFORM_CUPTI.
#include "recorded_run.h"

#include <ringside/trace/reader.h>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <string>
#include <utility>
#include <vector>

using namespace ringside;
using ringside::test::RecordedRun;

namespace {

constexpr int kRounds = 20;

struct PlatformRun {
    explicit PlatformRun(const std::string& cupti, RecordedRun::Environment more = {},
                         const std::vector<std::string>& command = {"recorded_work", std::to_string(kRounds)})
        : run(command, RecordedRun::Collector::Preloaded, environment(cupti, std::move(more)))
        , trace(trace::openRun(run.directory()).processes.at(0))
    {}
    static RecordedRun::Environment environment(const std::string& cupti, RecordedRun::Environment more)
    {
        more.insert(more.end(), {"LD_LIBRARY_PATH=" RINGSIDE_PLATFORM, "RINGSIDE_PROFILE=standard",
                                 "RINGSIDE_PLATFORM_CUPTI=" + cupti});
        return more;
    }
    [[nodiscard]] const trace::TierRow& tier() const
    {
        return *std::ranges::find(trace.tiers, trace::TierName("device"), &trace::TierRow::tier);
    }
    [[nodiscard]] std::int64_t issue(const std::string& id) const
    {
        const auto found = std::ranges::find(trace.issues, id, &trace::IssueRow::id);
        return found == trace.issues.end() ? 0 : found->count;
    }
    [[nodiscard]] std::int64_t dropped(const std::string& what) const
    {
        const auto found = std::ranges::find(trace.drops, what, &trace::DropRow::what);
        return found == trace.drops.end() ? 0 : found->records;
    }

    RecordedRun run;
    trace::ProcessTrace trace;
};

void expectUndisturbed(const PlatformRun& recorded)
{
    EXPECT_EQ(recorded.run.waitStatus, 0);
    EXPECT_NE(recorded.run.output.find("computed 3325.26, last error 0"), std::string::npos)
        << recorded.run.output;
}

std::size_t occurrences(const std::string& text, const std::string& part)
{
    std::size_t found = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
        ++found;
    return found;
}

std::string launchOf(const trace::ProcessTrace& trace, std::uint32_t correlation)
{
    const auto& all = trace.launches.correlation;
    const auto found = std::ranges::find(all, correlation);
    return found == all.end()
               ? "no launch"
               : std::string(trace.text(trace.launches.api[static_cast<std::size_t>(found - all.begin())]));
}

// What must be the same whatever generation emitted it, and how often; times and correlation numbers are not.
std::map<std::string, int> rowsOf(const trace::ProcessTrace& trace)
{
    std::map<std::string, int> rows;
    const trace::KernelColumns& kernels = trace.kernels;
    for (std::size_t i = 0; i < kernels.size(); ++i) {
        EXPECT_LT(kernels.startNs[i], kernels.endNs[i]);
        ++rows[fmt::format("{} on {}.{} by {}", trace.text(kernels.name[i]), kernels.device[i],
                           kernels.stream[i], launchOf(trace, kernels.correlation[i]))];
    }
    const trace::CopyColumns& copies = trace.copies;
    for (std::size_t i = 0; i < copies.size(); ++i)
        ++rows[fmt::format("kind {} of {} bytes on {}.{} by {}", copies.kind[i], copies.bytes[i],
                           copies.device[i], copies.stream[i], launchOf(trace, copies.correlation[i]))];
    return rows;
}

TEST(DevicePlatform, theRecordsOfEveryCudaGiveTheSameRows)
{
    const std::map<std::string, int> expected = {{"scale on 0.7 by cudaLaunchKernel", kRounds},
                                                 {"kind 1 of 4 bytes on 0.7 by cudaMemcpy", 1},
                                                 {"kind 2 of 4 bytes on 0.7 by cudaMemcpy", 1},
                                                 {"kind 8 of 4000 bytes on 0.7 by cudaMemcpyAsync", kRounds},
                                                 {"kind 10 of 4000 bytes on 0.7 by cudaMemcpyPeerAsync", 1},
                                                 {"kind 255 of 64 bytes on 0.7 by cudaMemsetAsync", kRounds}};
    for (const char* cuda : {"11.0", "11.8", "12.0", "12.8", "13.0", "13.4"}) {
        const PlatformRun recorded(std::string("cuda=") + cuda);
        expectUndisturbed(recorded);
        EXPECT_EQ(rowsOf(recorded.trace), expected) << cuda;
        EXPECT_TRUE(recorded.tier().active) << cuda;
        EXPECT_TRUE(recorded.trace.drops.empty()) << cuda;
    }
}

// The collector itself asks CUDA on the program's thread, and programs ask all the time.
TEST(DevicePlatform, questionsAreNoLaunches)
{
    const PlatformRun recorded("");
    const trace::LaunchColumns& launches = recorded.trace.launches;
    EXPECT_GT(launches.size(), 0U);
    for (std::size_t i = 0; i < launches.size(); ++i) {
        const std::string_view api = recorded.trace.text(launches.api[i]);
        EXPECT_EQ(api.find("Get"), std::string_view::npos) << api;
        EXPECT_EQ(api.find("Query"), std::string_view::npos) << api;
    }
}

std::map<std::int64_t, int> launchesByThread(const trace::ProcessTrace& trace)
{
    std::map<std::int64_t, int> launches;
    for (const std::uint32_t tid : trace.launches.tid)
        ++launches[tid];
    return launches;
}

// CUPTI calls threads by pthread_self() cut short, unless another tool has chosen otherwise.
TEST(DevicePlatform, launchesBelongToTheThreadThatMadeThem)
{
    for (const std::string cupti : {"", "system_threads", "cuda=11.0"}) {
        const PlatformRun recorded(cupti);
        const std::map<std::int64_t, int> launches = launchesByThread(recorded.trace);
        ASSERT_EQ(launches.size(), 1U) << cupti;
        EXPECT_EQ(launches.begin()->first, recorded.trace.threads.at(0).tid) << cupti;
    }
}

TEST(DevicePlatform, threadsThatGetAnEndedOnesHandleAreNotTakenForIt)
{
    for (const std::string cupti : {"", "system_threads"}) {
        const PlatformRun recorded(cupti, {}, {"recorded_work", std::to_string(kRounds), "threads"});
        expectUndisturbed(recorded);
        std::map<std::int64_t, int> launches = launchesByThread(recorded.trace);
        EXPECT_EQ(recorded.trace.threads.size(), kRounds + 1U) << cupti;
        EXPECT_EQ(launches.size(), kRounds + 1U) << cupti;
        for (const trace::ThreadRow& thread : recorded.trace.threads)
            EXPECT_GE(launches[thread.tid], 2) << cupti << ", thread " << thread.id;
    }
}

TEST(DevicePlatform, anotherToolsSubscriptionIsTheReasonAndTheProgramGoesOn)
{
    const PlatformRun recorded("held");
    expectUndisturbed(recorded);
    EXPECT_FALSE(recorded.tier().active);
    EXPECT_NE(recorded.tier().reason.find("another tool holds CUPTI"), std::string::npos);
    EXPECT_EQ(occurrences(recorded.run.output, "another tool holds CUPTI"), 1U);
    EXPECT_NE(recorded.tier().reason.find("Compute) (CUPTI error 39): another tool"), std::string::npos)
        << "the holder's name";
    EXPECT_EQ(recorded.trace.kernels.size() + recorded.trace.copies.size(), 0U);
    EXPECT_GT(recorded.trace.apiCalls.size(), 0U); // what the host does is recorded all the same
}

TEST(DevicePlatform, aMissingDriverIsTheReasonAndTheProgramGoesOn)
{
    const PlatformRun recorded("no_driver");
    expectUndisturbed(recorded);
    EXPECT_FALSE(recorded.tier().active);
    EXPECT_NE(recorded.tier().reason.find("no driver"), std::string::npos) << recorded.tier().reason;
    EXPECT_EQ(occurrences(recorded.run.output, "no driver"), 1U);
    EXPECT_GT(recorded.trace.apiCalls.size(), 0U);
}

TEST(DevicePlatform, workWithoutTimesIsCountedAndNotShownAsZero)
{
    const PlatformRun recorded("zero_times");
    expectUndisturbed(recorded);
    EXPECT_EQ(recorded.trace.kernels.size(), 0U);
    EXPECT_EQ(recorded.trace.copies.size(), 0U);
    EXPECT_EQ(recorded.issue("device_time_missing"), 3 * kRounds + 3);
    EXPECT_GT(recorded.trace.launches.size(), 0U); // the calls have their times
}

TEST(DevicePlatform, whatCuptiHadNoRoomForIsCounted)
{
    const PlatformRun recorded("room=10");
    expectUndisturbed(recorded);
    const auto kept = static_cast<std::int64_t>(recorded.trace.kernels.size() + recorded.trace.copies.size());
    EXPECT_LT(kept, 3 * kRounds + 3);
    EXPECT_GE(kept, 10);
    EXPECT_EQ(kept + recorded.dropped("device records"), 3 * kRounds + 3);
}

// CUDA's exit handler runs before one that was set before it. What the GPU did last is recorded all the same,
// and nobody waits for a CUPTI whose driver is gone.
TEST(DevicePlatform, whatRanLastIsRecordedWhereverTheDriversExitHandlerStands)
{
    for (const char* handler : {"early", "late"}) {
        const PlatformRun recorded("hangs_after_exit",
                                   {std::string("RINGSIDE_PLATFORM_EXIT_HANDLER=") + handler});
        expectUndisturbed(recorded);
        EXPECT_EQ(recorded.trace.kernels.size(), static_cast<std::size_t>(kRounds)) << handler;
        EXPECT_EQ(occurrences(recorded.run.output, "ringside["), 0U) << recorded.run.output;
        EXPECT_TRUE(recorded.trace.process.endNs.has_value()) << handler;
        EXPECT_TRUE(recorded.trace.issues.empty()) << recorded.trace.issues.front().id;
    }
}

TEST(DevicePlatform, aDriverThatEndsBeforeUsIsNotTouchedAndWhatIsMissingIsSaid)
{
    const PlatformRun recorded("hangs_after_exit", {"DRIVER_ENDS_FIRST=1"});
    expectUndisturbed(recorded);
    EXPECT_EQ(occurrences(recorded.run.output, "ringside["), 0U) << recorded.run.output;
    EXPECT_TRUE(recorded.trace.process.endNs.has_value());
    EXPECT_EQ(recorded.issue("device_ended_first"), 1);
}

// Begin or end of the calls of a function on the host's own clock, in order.
std::vector<std::int64_t> callTimes(const trace::ProcessTrace& trace, const std::string& function,
                                    const trace::Column<std::int64_t>& times)
{
    std::vector<std::int64_t> found;
    for (std::size_t i = 0; i < times.size(); ++i)
        if (trace.text(trace.apiCalls.api[i]) == function)
            found.push_back(times[i]);
    std::ranges::sort(found);
    return found;
}

// A major version may change records: they are not read as if they were known.
TEST(DevicePlatform, aNewerCuptiIsLeftAloneAndOneSentenceSaysSo)
{
    const PlatformRun recorded("cuda=14.0");
    expectUndisturbed(recorded);
    EXPECT_FALSE(recorded.tier().active);
    const std::string sentence =
        "CUPTI 14 is newer than this Ringside, which reads the records of CUPTI 11 to 13: "
        "use a newer Ringside, or record with --cuda-events, which times NCCL's calls";
    EXPECT_EQ(recorded.tier().reason, sentence);
    EXPECT_EQ(occurrences(recorded.run.output, "what runs on the GPU is not measured: " + sentence), 1U)
        << recorded.run.output;
    EXPECT_EQ(recorded.trace.kernels.size(), 0U);
    EXPECT_GT(recorded.trace.apiCalls.size(), 0U) << "the calls are there all the same";
}

// CUPTI's clock may be an hour off and drift as much as time synchronisation ever makes it: on the host's
// clock, no kernel begins before its launch or ends after the call that waited for it.
TEST(DevicePlatform, aClockThatIsOffAndDriftsIsConvertedBack)
{
    for (const char* offset : {"3600000000000", "-3600000000000"}) {
        const PlatformRun recorded("", {std::string("RINGSIDE_TEST_CLOCK_OFFSET_NS=") + offset,
                                        "RINGSIDE_TEST_CLOCK_DRIFT_PPM=500"});
        expectUndisturbed(recorded);
        const auto& kernels = recorded.trace.kernels;
        std::vector<std::int64_t> starts(kernels.startNs.begin(), kernels.startNs.end());
        std::ranges::sort(starts);
        const auto launches = callTimes(recorded.trace, "cudaLaunchKernel", recorded.trace.apiCalls.startNs);
        const auto waits = callTimes(recorded.trace, "cudaMemcpy", recorded.trace.apiCalls.endNs);
        ASSERT_EQ(starts.size(), launches.size());
        ASSERT_FALSE(waits.empty());
        for (std::size_t i = 0; i < starts.size(); ++i)
            EXPECT_GE(starts[i], launches[i]) << i;
        EXPECT_LE(std::ranges::max(recorded.trace.kernels.endNs), waits.back());
        const auto& clocks = recorded.trace.clockSamples;
        EXPECT_TRUE(std::ranges::any_of(clocks, [](const auto& row) {
            constexpr std::int64_t kHour = 3'600'000'000'000;
            return row.deviceNs.has_value() && std::abs(*row.deviceNs - row.realtimeNs) > kHour / 2;
        }));
    }
}

} // namespace
