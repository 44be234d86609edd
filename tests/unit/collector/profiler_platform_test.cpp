// SPDX-License-Identifier: Apache-2.0
// The collector as the profiler plugin of the CPU platform's NCCL: a real process, loaded by NCCL's own
// rules. NCCL's choices are emulated (RING, SIMPLE, one channel).
#include "recorded_run.h"

#include <ringside/trace/reader.h>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

using ringside::test::RecordedRun;

namespace {

RecordedRun::Environment onPlatform(RecordedRun::Environment more = {})
{
    more.insert(more.begin(), {"LD_LIBRARY_PATH=" RINGSIDE_PLATFORM, "RINGSIDE_PROFILE=light"});
    return more;
}

struct NcclRun {
    explicit NcclRun(std::vector<std::string> scenes, RecordedRun::Environment more = {})
        : run(command(std::move(scenes)), RecordedRun::Collector::Preloaded, onPlatform(std::move(more)))
    {
        EXPECT_EQ(run.waitStatus, 0) << run.output;
        EXPECT_NE(run.output.find("computed "), std::string::npos) << run.output;
        EXPECT_EQ(run.output.find("ringside["), std::string::npos) << run.output;
    }
    static std::vector<std::string> command(std::vector<std::string> scenes)
    {
        scenes.insert(scenes.begin(), "recorded_nccl_ranks");
        return scenes;
    }
    [[nodiscard]] std::int64_t number(const std::string& sql) const { return run.number(sql); }
    [[nodiscard]] std::string text(const std::string& sql) const { return run.text(sql); }
    /// Operations whose call is another function, size, or communicator, or came at another time.
    [[nodiscard]] std::int64_t misplaced() const
    {
        return run.number("SELECT count(*) FROM nccl_operation o JOIN string f ON f.id = o.function_id"
                          " JOIN collective_call c ON c.id = o.call_id JOIN string a ON a.id = c.api_id"
                          " WHERE a.text <> 'nccl' || f.text OR c.bytes <> o.bytes"
                          " OR c.communicator_id <> o.communicator_id OR o.start_ns < c.start_ns"
                          " OR o.end_ns < o.start_ns OR o.thread_id <> c.thread_id");
    }
    [[nodiscard]] std::int64_t linked() const
    {
        return run.number("SELECT count(DISTINCT call_id) FROM nccl_operation");
    }
    [[nodiscard]] std::int64_t calls() const { return run.number("SELECT count(*) FROM collective_call"); }
    [[nodiscard]] std::string tier() const
    {
        return run.text("SELECT active || ' ' || reason FROM tier WHERE tier = 'nccl'");
    }

    RecordedRun run;
};

TEST(ProfilerPlatform, reportsWhatNcclMadeOfEachCall)
{
    const NcclRun recorded({"open", "single", "several", "close"});
    EXPECT_EQ(recorded.calls(), 6);
    EXPECT_EQ(recorded.linked(), 6);
    EXPECT_EQ(recorded.misplaced(), 0);
    EXPECT_EQ(recorded.number("SELECT count(*) FROM nccl_operation o JOIN string a ON a.id = o.algorithm_id"
                              " JOIN string p ON p.id = o.protocol_id"
                              " WHERE a.text = 'RING' AND p.text = 'SIMPLE' AND channels = 1"),
              6);
    EXPECT_EQ(recorded.number("SELECT count(*) FROM nccl_operation JOIN collective_call c ON c.id = call_id"
                              " WHERE launch_start_ns BETWEEN c.start_ns AND launch_end_ns"
                              " AND launch_end_ns <= c.end_ns"),
              6);
    EXPECT_EQ(recorded.text("SELECT group_concat(nccl_sequence) FROM (SELECT nccl_sequence FROM"
                            " nccl_operation o JOIN string f ON f.id = function_id WHERE f.text = 'AllReduce'"
                            " AND communicator_id = 1 ORDER BY o.start_ns)"),
              "0,1")
        << "NCCL counts each function by itself";
    EXPECT_EQ(recorded.tier(), "1 ");
    EXPECT_EQ(recorded.text("SELECT value FROM setting WHERE name = 'profiler_api'"), "5");
    EXPECT_EQ(recorded.number("SELECT count(*) FROM dropped"), 0);
}

TEST(ProfilerPlatform, tiesOperationsToTheCallsOfAGroup)
{
    const NcclRun recorded({"open", "group", "exchange", "close"});
    EXPECT_EQ(recorded.calls(), 10);
    EXPECT_EQ(recorded.linked(), 10);
    EXPECT_EQ(recorded.misplaced(), 0);
    EXPECT_EQ(recorded.number("SELECT count(*) FROM nccl_operation o JOIN collective_call c ON c.id = call_id"
                              " WHERE o.peer = c.peer AND algorithm_id = 0"),
              4)
        << "sends and receives have a peer and no algorithm";
}

TEST(ProfilerPlatform, tiesOperationsByOrderWhereNcclDoesNotTell)
{
    const NcclRun recorded({"open", "single", "group", "exchange", "close"},
                           {"RINGSIDE_PLATFORM_PROFILER_API=4"});
    EXPECT_EQ(recorded.text("SELECT value FROM setting WHERE name = 'profiler_api'"), "4");
    EXPECT_EQ(recorded.calls(), 12);
    EXPECT_EQ(recorded.linked(), 12);
    EXPECT_EQ(recorded.misplaced(), 0);
    EXPECT_NE(recorded.tier().find("by order"), std::string::npos);
}

// An NCCL that no one knows yet, and that has given up the interfaces of today: the calls are recorded, and
// one sentence says what is missing and what helps.
TEST(ProfilerPlatform, aNewerNcclIsRecordedWithoutWhatItsProfilerWouldTell)
{
    const NcclRun recorded({"open", "single", "group", "exchange", "close"},
                           {"RINGSIDE_PLATFORM_PROFILER_API=8", "RINGSIDE_PLATFORM_NCCL_VERSION=24001"});
    EXPECT_EQ(recorded.calls(), 12);
    EXPECT_EQ(recorded.number("SELECT count(*) FROM nccl_operation"), 0);
    EXPECT_EQ(recorded.tier(),
              "0 NCCL 2.40.1 asked for none of the profiler interfaces 3 to 7 of this Ringside: "
              "algorithms, channels and what NCCL made of each call are not recorded; use a newer "
              "Ringside");
    EXPECT_EQ(
        recorded.text("SELECT message FROM issue WHERE id = 'newer_library'"),
        "NCCL 2.40.1 is newer than this Ringside, which knows the functions up to 2.32.0: calls of newer "
        "functions are not recorded; use a newer Ringside");
}

TEST(ProfilerPlatform, aNewerNcclThatStillSpeaksAKnownInterfaceTellsAll)
{
    const NcclRun recorded({"open", "single", "close"}, {"RINGSIDE_PLATFORM_NCCL_VERSION=24000"});
    EXPECT_EQ(recorded.linked(), recorded.calls());
    EXPECT_EQ(recorded.tier(), "1 ");
    EXPECT_EQ(recorded.number("SELECT count FROM issue WHERE id = 'newer_library'"), 1);
}

/// What a kernel of NCCL's is of, and which thread launched it.
struct TiedKernels {
    explicit TiedKernels(const RecordedRun& run)
        : trace(ringside::trace::openRun(run.directory()).processes.at(0))
    {
        for (const auto& call : trace.collectiveCalls) {
            if (call.groupId == 0) {
                expected.insert(call.id);
            }
        }
        for (const auto& group : trace.groups) {
            expected.insert(group.id);
        }
        const auto& links = trace.callCorrelations;
        for (std::size_t i = 0; i < trace.kernels.size(); ++i) {
            if (!trace.text(trace.kernels.name[i]).starts_with("ncclDevKernel")) {
                continue;
            }
            const auto link = std::ranges::find(links.correlation, trace.kernels.correlation[i]);
            if (link == links.correlation.end()) {
                ++untied;
            } else {
                tied.insert(static_cast<std::int64_t>(
                    links.call[static_cast<std::size_t>(link - links.correlation.begin())]));
            }
            byCaller += launchedByCaller(trace.kernels.correlation[i]) ? 1 : 0;
        }
    }
    [[nodiscard]] bool launchedByCaller(std::uint32_t correlation) const
    {
        const auto& all = trace.launches.correlation;
        const auto launch = std::ranges::find(all, correlation) - all.begin();
        return std::ranges::any_of(trace.collectiveCalls, [&](const auto& call) {
            const auto thread =
                std::ranges::find(trace.threads, call.thread, &ringside::trace::ThreadRow::id);
            return thread->tid == trace.launches.tid[static_cast<std::size_t>(launch)];
        });
    }
    ringside::trace::ProcessTrace trace;
    std::set<std::int64_t> expected; ///< calls in no group, and groups
    std::set<std::int64_t> tied;
    int untied = 0;
    int byCaller = 0;
};

TEST(ProfilerPlatform, tiesKernelsThatNcclLaunchesFromAThreadOfItsOwn)
{
    for (const bool pastWrappers : {false, true}) {
        std::vector<std::string> scenes{"watch", "open_nonblocking", "single",   "several",
                                        "group", "exchange",         "alltoall", "close"};
        if (pastWrappers) {
            scenes.insert(scenes.begin() + 1, "dlsym");
        }
        const NcclRun recorded(scenes, {"RINGSIDE_PROFILE=standard"});
        const TiedKernels kernels(recorded.run);
        EXPECT_EQ(kernels.tied, kernels.expected) << pastWrappers;
        EXPECT_EQ(kernels.expected.size(), 2U + 4U + 1U + 1U + 2U) << pastWrappers;
        EXPECT_EQ(kernels.untied, 0) << pastWrappers;
        EXPECT_EQ(kernels.byCaller, 0) << "the emulation launches it like a blocking one";
        EXPECT_EQ(recorded.number("SELECT count(*) FROM issue WHERE id = 'launches_not_tied'"), 0);
    }
}

TEST(ProfilerPlatform, countsCallsWhoseKernelsAreNotLinked)
{
    const NcclRun recorded({"watch", "open_nonblocking", "single", "group", "close"},
                           {"RINGSIDE_PROFILE=standard", "RINGSIDE_PLATFORM_PROFILER_API=4"});
    EXPECT_GT(TiedKernels(recorded.run).untied, 0);
    EXPECT_EQ(recorded.number("SELECT count FROM issue WHERE id = 'launches_not_tied'"), 2 + 6);
}

TEST(ProfilerPlatform, learnsWhatNcclCallsACommunicator)
{
    const NcclRun recorded({"open", "close"});
    EXPECT_EQ(recorded.number("SELECT count(*) FROM communicator WHERE nccl_hash <> 0"), 2)
        << "also of those that were never used";
    EXPECT_EQ(recorded.number("SELECT count(DISTINCT nccl_hash) FROM communicator"), 1);
}

TEST(ProfilerPlatform, goesOnWithTheNextCommunicatorWhenTheLastHasGone)
{
    const NcclRun recorded({"open", "single", "close", "open", "single", "abort", "open", "single", "close"});
    EXPECT_EQ(recorded.number("SELECT count(*) FROM communicator"), 6);
    EXPECT_EQ(recorded.number("SELECT count(DISTINCT nccl_hash) FROM communicator"), 3);
    EXPECT_EQ(recorded.linked(), 6);
    EXPECT_EQ(recorded.misplaced(), 0);
}

TEST(ProfilerPlatform, survivesThatCommunicatorsAreAbortedInFlight)
{
    for (const char* profile : {"RINGSIDE_PROFILE=light", "RINGSIDE_PROFILE=deep"}) {
        const RecordedRun run({"recorded_nccl_ranks", "open", "abort_in_flight", "open", "single", "close"},
                              RecordedRun::Collector::Preloaded, onPlatform({profile}));
        EXPECT_EQ(run.waitStatus, 0) << run.output;
        EXPECT_EQ(run.number("SELECT count(*) FROM collective_call"), 3);
        EXPECT_EQ(run.number("SELECT count(DISTINCT call_id) FROM nccl_operation"), 3) << profile;
    }
}

TEST(ProfilerPlatform, respectsThatNoPluginIsWanted)
{
    const NcclRun recorded({"open", "single", "close"}, {"NCCL_PROFILER_PLUGIN=None"});
    EXPECT_EQ(recorded.calls(), 2);
    EXPECT_EQ(recorded.number("SELECT count(*) FROM nccl_operation"), 0);
    EXPECT_EQ(recorded.tier(), "0 NCCL_PROFILER_PLUGIN=none: no plugin is wanted");
}

TEST(ProfilerPlatform, isNoPluginOfAProcessThatIsNotRecorded)
{
    const RecordedRun run({"recorded_nccl_ranks", "open", "single", "close"},
                          RecordedRun::Collector::Preloaded,
                          onPlatform({"RINGSIDE_PROFILE=off", "NCCL_PROFILER_PLUGIN=" RINGSIDE_COLLECTOR,
                                      "NCCL_DEBUG=INFO", "NCCL_DEBUG_SUBSYS=INIT"}));
    EXPECT_EQ(run.waitStatus, 0) << run.output;
    EXPECT_EQ(run.output.find("Loaded Ringside"), std::string::npos) << "the variable was not taken back";
    EXPECT_TRUE(run.filesEndingIn(".db").empty());
}

TEST(ProfilerPlatform, isHarmlessWhereItIsLoadedAllTheSame)
{
    const RecordedRun run({"recorded_nccl_ranks", "open", "single", "close"}, RecordedRun::Collector::Absent,
                          {"RINGSIDE_DIR=", std::string("LD_LIBRARY_PATH=") + RINGSIDE_PLATFORM,
                           std::string("NCCL_PROFILER_PLUGIN=") + RINGSIDE_COLLECTOR, "NCCL_DEBUG=INFO",
                           "NCCL_DEBUG_SUBSYS=INIT"});
    EXPECT_EQ(run.waitStatus, 0) << run.output;
    EXPECT_NE(run.output.find("Loaded Ringside (v5)"), std::string::npos) << run.output;
    EXPECT_NE(run.output.find("computed 3 3"), std::string::npos) << run.output;
}

} // namespace
