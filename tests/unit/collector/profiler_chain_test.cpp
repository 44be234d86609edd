// SPDX-License-Identifier: Apache-2.0
// A plugin that was configured before the collector gets the same events as from NCCL, in its own version and
// with its own handles, and no events that only the collector requests.
#include "recorded_run.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

using ringside::test::RecordedRun;

namespace {

constexpr int kAnyEvent = 0x7fff;
constexpr int kHostOperations = 0x7;
constexpr int kHostEvents = 0xf07;

std::string pluginOf(int version)
{
    return fmt::format("{}/libchained_profiler_v{}.so", RINGSIDE_FAKES, version);
}

struct ChainedRun {
    /// `setting` is what NCCL_PROFILER_PLUGIN says before the collector comes.
    ChainedRun(const std::vector<std::string>& command, const std::string& setting, int mask,
               RecordedRun::Environment more = {},
               RecordedRun::Collector collector = RecordedRun::Collector::Preloaded)
        : directory(RecordedRun::makeDirectory())
        , run(command, collector, environment(setting, mask, std::move(more)))
    {
        std::stringstream text;
        text << std::ifstream(log()).rdbuf();
        for (std::string line; std::getline(text, line);) {
            lines.push_back(line);
        }
    }
    ~ChainedRun() { std::filesystem::remove_all(directory); }
    ChainedRun(const ChainedRun&) = delete;
    ChainedRun& operator=(const ChainedRun&) = delete;

    [[nodiscard]] std::filesystem::path log() const { return directory / "calls"; }
    RecordedRun::Environment environment(const std::string& setting, int mask, RecordedRun::Environment more)
    {
        more.insert(more.begin(), {"RINGSIDE_PROFILE=light", "RINGSIDE_TEST_CHAIN_LOG=" + log().string(),
                                   fmt::format("RINGSIDE_TEST_CHAIN_MASK={}", mask)});
        if (!setting.empty()) {
            more.push_back("NCCL_PROFILER_PLUGIN=" + setting);
        }
        return more;
    }
    [[nodiscard]] std::size_t count(const std::string& part) const
    {
        std::size_t found = 0;
        for (const std::string& line : lines) {
            found += line.find(part) != std::string::npos ? 1 : 0;
        }
        return found;
    }
    [[nodiscard]] std::string reason() const
    {
        return run.text("SELECT reason FROM tier WHERE tier = 'nccl'");
    }
    [[nodiscard]] std::int64_t operations() const
    {
        return run.number("SELECT count(*) FROM nccl_operation");
    }

    std::filesystem::path directory;
    RecordedRun run;
    std::vector<std::string> lines;
};

std::vector<std::string> script(int version, std::vector<std::string> scenes)
{
    scenes.insert(scenes.begin(), {"recorded_profiler_driver", std::to_string(version)});
    return scenes;
}

struct Pair {
    int nccl;
    int plugin;
};

class EveryPair : public testing::TestWithParam<Pair> {};

TEST_P(EveryPair, givesItsOwnHandlesInItsOwnVersion)
{
    const ChainedRun chained(script(GetParam().nccl, {"open", "operations", "close"}),
                             pluginOf(GetParam().plugin), kHostOperations);
    EXPECT_EQ(chained.run.waitStatus, 0) << chained.run.output;
    const bool older = GetParam().plugin < 5;
    const int context = GetParam().plugin == 3 ? 1001 : 1010;
    const std::string hash =
        GetParam().plugin == 3 ? "hash=0 ranks=0 rank=0" : "hash=18364553380510040065 ranks=16 rank=9";
    const std::string group = older ? " group=0" : " group=1";
    const std::vector<std::string> expected{
        fmt::format("init {} {}", context, hash),
        fmt::format("start 1 type=1 in={} parent=0", context),
        fmt::format("start 2 type=2 in={} parent=1 AllReduce NVLS count=1000 seq=41{} channels=24{}", context,
                    GetParam().plugin >= 7 ? " tag=77" : "", group),
        fmt::format("start 3 type=4 in={} parent=1 Send count=77 peer=5{}", context, group),
        "stop 2",
        "stop 3",
        "stop 1",
        fmt::format("finalize {}", context)};
    EXPECT_EQ(chained.lines, expected);
    EXPECT_EQ(chained.operations(), 2) << "ours goes on beside it";
    EXPECT_EQ(chained.run.text("SELECT value FROM setting WHERE name = 'chained_profiler'"),
              fmt::format("{}, API {}", pluginOf(GetParam().plugin), GetParam().plugin));
}

TEST_P(EveryPair, hearsOfTheProxyThreadsInAnyLevel)
{
    const ChainedRun chained(script(GetParam().nccl, {"open", "deep", "deepOfAnotherProcess", "close"}),
                             pluginOf(GetParam().plugin), kAnyEvent);
    EXPECT_EQ(chained.run.waitStatus, 0) << chained.run.output;
    EXPECT_EQ(chained.count(" type=64 "), 2U) << "KernelCh";
    EXPECT_EQ(chained.count(" type=8 "), 2U) << "those of another process it could not take apart";
    EXPECT_EQ(chained.count(" type=16 "), 2U);
    EXPECT_EQ(chained.count(fmt::format(" type=16 in={} parent=4", GetParam().plugin == 3 ? 1001 : 1010)),
              1U);
    EXPECT_EQ(chained.count("state "), GetParam().nccl == 3     ? 7U
                                       : GetParam().plugin == 3 ? 5U
                                                                : 9U)
        << "version 3 knows neither the end of a channel nor the wait for the peer";
    EXPECT_EQ(chained.run.number("SELECT count(*) FROM proxy_step_chunk"), 0) << "ours did not ask for them";
}

INSTANTIATE_TEST_SUITE_P(Profiler, EveryPair,
                         testing::Values(Pair{3, 3}, Pair{4, 3}, Pair{4, 4}, Pair{5, 3}, Pair{5, 4},
                                         Pair{5, 5}, Pair{6, 4}, Pair{6, 5}, Pair{6, 6}, Pair{7, 4},
                                         Pair{7, 6}, Pair{7, 7}),
                         [](const auto& pair) {
                             return fmt::format("Nccl{}Plugin{}", pair.param.nccl, pair.param.plugin);
                         });

// NCCL 2.26.2 to 2.27.7 would not have told it of the tasks; ours has a handle for the group.
TEST(ProfilerChain, getsNoTasksOfAGroupWithoutAHandle)
{
    const RecordedRun::Environment groupless{"RINGSIDE_TEST_CHAIN_WITHOUT=1"};
    const ChainedRun older(script(4, {"open", "operations", "close"}), pluginOf(4), kHostOperations,
                           groupless);
    EXPECT_EQ(older.count(" type=1 "), 1U);
    EXPECT_EQ(older.count(" type=2 ") + older.count(" type=4 "), 0U);
    EXPECT_EQ(older.operations(), 2);
    const ChainedRun newer(script(5, {"open", "operations", "close"}), pluginOf(4), kHostOperations,
                           groupless);
    EXPECT_EQ(newer.count(" type=2 ") + newer.count(" type=4 "), 2U);
}

TEST(ProfilerChain, hearsOfPhasesFromAnNcclThatHasThem)
{
    constexpr int kPhases = 0x8000; // NCCL then tells of the kernels' channels, too
    const std::vector<std::string> scenes{"open", "deep", "phase", "close"};
    const ChainedRun newest(script(7, scenes), pluginOf(7), kPhases);
    EXPECT_EQ(newest.run.waitStatus, 0) << newest.run.output;
    EXPECT_EQ(newest.count(" type=64 "), 1U);
    EXPECT_EQ(newest.count(" type=32768 "), 4U);
    EXPECT_EQ(newest.count(" tag=77"), 1U) << "the longer descriptor comes whole";
    const ChainedRun older(script(7, scenes), pluginOf(6), kAnyEvent);
    EXPECT_EQ(older.count(" type=32768 "), 0U);
}

TEST(ProfilerChain, getsNoEventsThatOnlyTheCollectorRequests)
{
    const ChainedRun chained(script(5, {"open", "operations", "deep", "close"}), pluginOf(5), 0,
                             {"RINGSIDE_PROFILE=deep"});
    EXPECT_EQ(chained.lines.size(), 2U) << "init and finalize";
    EXPECT_EQ(chained.operations(), 3);
}

TEST(ProfilerChain, mayChangeItsMaskAtAnyTime)
{
    const ChainedRun chained(script(5, {"open", "mask0xf07", "operations", "mask0xf5e", "deep", "close"}),
                             pluginOf(5), 1, {"RINGSIDE_TEST_CHAIN_LATER=0xf5e"});
    EXPECT_EQ(chained.run.waitStatus, 0) << chained.run.output;
    EXPECT_EQ(chained.count(" type=64 "), 1U);
}

TEST(ProfilerChain, isFoundByNcclsRules)
{
    const RecordedRun::Environment path{"LD_LIBRARY_PATH=" RINGSIDE_FAKES "/plugins"};
    for (const char* setting : {"site", "libnccl-profiler-site.so", ""}) {
        const ChainedRun chained(script(5, {"open", "operations", "close"}), setting, kHostOperations, path);
        EXPECT_EQ(chained.lines.size(), 8U) << setting << chained.run.output;
        EXPECT_EQ(chained.reason(), "") << setting;
    }
}

TEST(ProfilerChain, reportsWhatCouldNotBeLoaded)
{
    const ChainedRun missing(script(5, {"open", "operations", "close"}), "nowhere", kHostOperations);
    EXPECT_NE(missing.run.output.find("the profiler plugin nowhere could not be loaded"), std::string::npos);
    EXPECT_NE(missing.reason().find("libnccl-profiler-nowhere.so"), std::string::npos);
    EXPECT_EQ(missing.operations(), 2);
    const ChainedRun newer(script(4, {"open", "operations", "close"}), pluginOf(5), kHostOperations);
    EXPECT_NE(newer.reason().find("speaks none of the versions 3 to 4"), std::string::npos);
    EXPECT_EQ(newer.operations(), 2);
    const ChainedRun refusing(script(5, {"open", "operations", "close"}), pluginOf(5), kHostOperations,
                              {"RINGSIDE_TEST_CHAIN_RESULT=3"});
    EXPECT_NE(refusing.reason().find("refused a communicator with result 3"), std::string::npos);
    EXPECT_EQ(refusing.operations(), 2);
    EXPECT_EQ(refusing.lines.size(), 1U);
}

TEST(ProfilerChain, isGivenDownToChildProcesses)
{
    const ChainedRun chained(script(5, {"exec", "open", "operations", "close"}), pluginOf(4),
                             kHostOperations);
    EXPECT_EQ(chained.lines.size(), 8U) << chained.run.output;
}

TEST(ProfilerChain, worksAlsoWhereNothingIsRecorded)
{
    const ChainedRun chained(script(5, {"open", "operations", "close"}), pluginOf(5), kHostOperations,
                             {"RINGSIDE_DIR=/proc/nowhere"});
    EXPECT_EQ(chained.run.waitStatus, 0) << chained.run.output;
    EXPECT_EQ(chained.lines.size(), 8U) << chained.run.output;
    const ChainedRun off(script(5, {"open", "operations", "close"}), pluginOf(5), kHostOperations,
                         {"RINGSIDE_PROFILE=off"});
    EXPECT_EQ(off.lines.size(), 9U) << "the script stops an event twice, which ours keeps from it";
    EXPECT_NE(off.run.output.find("Chained done"), std::string::npos) << "by NCCL itself";
}

#ifdef RINGSIDE_HAS_PLATFORM
TEST(ProfilerChainPlatform, hearsTheSameWithTheCollectorAndWithout)
{
    // One thread calls for both ranks, so that events come in one order.
    const std::vector<std::string> command{
        "recorded_nccl_ranks", "open", "group", "exchange", "group", "close"};
    const RecordedRun::Environment platform{"LD_LIBRARY_PATH=" RINGSIDE_PLATFORM};
    for (const int version : {4, 5}) {
        ChainedRun behind(command, pluginOf(version), kHostEvents, platform);
        ChainedRun bare(command, pluginOf(version), kHostEvents, platform, RecordedRun::Collector::Absent);
        EXPECT_EQ(behind.run.waitStatus, 0) << behind.run.output;
        EXPECT_GT(bare.lines.size(), 40U);
        // Whose communicator is opened first, and its hash, are chance.
        behind.lines.erase(behind.lines.begin(), behind.lines.begin() + 2);
        bare.lines.erase(bare.lines.begin(), bare.lines.begin() + 2);
        EXPECT_EQ(behind.lines, bare.lines) << "version " << version;
        EXPECT_EQ(behind.run.number("SELECT count(DISTINCT call_id) FROM nccl_operation"), 16);
    }
}
#endif

} // namespace
