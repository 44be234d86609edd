// SPDX-License-Identifier: Apache-2.0
// Deep windows: times of channels on the GPU, messages of NCCL's proxy threads, and the live mask that
// requests them. By a script for every version; KernelCh also on the CPU platform, whose GPU clock is that of
// the host (emulated).
#include "recorded_run.h"

#include <ringside/trace/reader.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

using namespace ringside;
using ringside::test::RecordedRun;

namespace {

RecordedRun play(int version, std::vector<std::string> scenes, RecordedRun::Environment more = {})
{
    scenes.insert(scenes.begin(), {"recorded_profiler_driver", std::to_string(version)});
    more.insert(more.begin(), "RINGSIDE_PROFILE=deep");
    return RecordedRun(scenes, RecordedRun::Collector::Preloaded, more);
}

trace::ProcessTrace traceOf(const RecordedRun& run)
{
    EXPECT_EQ(run.waitStatus, 0) << run.output;
    return trace::openRun(run.directory()).processes.at(0);
}

class EveryVersionDeep : public testing::TestWithParam<int> {};

TEST_P(EveryVersionDeep, requestsTheEventsOfItsVersion)
{
    const RecordedRun run = play(GetParam(), {"open", "close"});
    const char* const masks[] = {"mask 0x1e\n", "mask 0x5e\n", "mask 0xf5e\n", "mask 0x7f5e\n",
                                 "mask 0xff5e\n"};
    EXPECT_NE(run.output.find(masks[GetParam() - 3]), std::string::npos) << run.output;
}

TEST_P(EveryVersionDeep, timesTheChannelsOfAnOperation)
{
    const trace::ProcessTrace trace = traceOf(play(GetParam(), {"open", "deep", "close"}));
    ASSERT_EQ(trace.ncclOperations.size(), 1U);
    if (GetParam() == 3) {
        EXPECT_EQ(trace.channelTimes.size(), 0U) << "it does not tell the GPU's times";
        return;
    }
    ASSERT_EQ(trace.channelTimes.size(), 1U);
    EXPECT_EQ(trace.channelTimes.endNs[0] - trace.channelTimes.startNs[0], 800'000);
    EXPECT_EQ(trace.channelTimes.channel[0], 3U);
    EXPECT_EQ(static_cast<std::int64_t>(trace.channelTimes.operation[0]), trace.ncclOperations[0].id);
    EXPECT_EQ(trace.channelTimes.device[0], trace::kUnknownDevice) << "there is no CUDA here";
    EXPECT_EQ(trace.channelTimes.uncertaintyNs[0], trace::kUnboundedNs) << "nor was a launch seen";
    EXPECT_GE(trace.channelTimes.endNs[0], trace.ncclOperations[0].startNs);
}

TEST_P(EveryVersionDeep, splitsAChannelIntoNcclsPhases)
{
    const trace::ProcessTrace trace = traceOf(play(GetParam(), {"open", "deep", "close"}));
    if (GetParam() < 7) {
        EXPECT_EQ(trace.kernelPhases.size(), 0U);
        return;
    }
    ASSERT_EQ(trace.kernelPhases.size(), 3U);
    const std::vector<std::int64_t> lengths = {500'000, 250'000, 50'000};
    for (std::uint32_t phase = 0; phase < 3; ++phase) {
        EXPECT_EQ(trace.kernelPhases.phase[phase], phase);
        EXPECT_EQ(trace.kernelPhases.endNs[phase] - trace.kernelPhases.startNs[phase], lengths[phase]);
        EXPECT_EQ(trace.kernelPhases.channel[phase], 3U);
        EXPECT_EQ(static_cast<std::int64_t>(trace.kernelPhases.operation[phase]), trace.ncclOperations[0].id);
    }
}

TEST_P(EveryVersionDeep, reportsWhatAMessageWaitedFor)
{
    const trace::ProcessTrace trace = traceOf(play(GetParam(), {"open", "deep", "close"}));
    const trace::ProxyStepColumns& steps = trace.proxySteps;
    ASSERT_EQ(steps.size(), 2U);
    EXPECT_EQ(steps.isSend, (trace::Column<std::uint32_t>{1, 0}));
    for (std::size_t i = 0; i < steps.size(); ++i) {
        EXPECT_EQ(static_cast<std::int64_t>(steps.operation[i]), trace.ncclOperations.at(0).id);
        EXPECT_EQ(steps.peer[i], 4U);
        EXPECT_EQ(steps.channel[i], 1U);
        EXPECT_EQ(steps.step[i], 2U);
        EXPECT_EQ(steps.bytes[i], GetParam() == 3 ? ~std::uint64_t{0} : 4096U);
        EXPECT_GE(steps.networkWaitNs[i], 1'000'000);
        EXPECT_GE(steps.gpuWaitNs[i], 0);
        EXPECT_GE(steps.endNs[i] - steps.startNs[i], steps.gpuWaitNs[i] + steps.networkWaitNs[i] +
                                                         std::max<std::int64_t>(0, steps.peerWaitNs[i]));
    }
    EXPECT_GE(steps.peerWaitNs[0], 2'000'000) << "from the first time that the peer was not ready";
    EXPECT_EQ(steps.peerWaitNs[1], trace::ProxyStepRow::kNotSeenNs);
    EXPECT_EQ(steps.flushWaitNs[0], trace::ProxyStepRow::kNotSeenNs);
    EXPECT_GE(steps.flushWaitNs[1], 0);
}

TEST_P(EveryVersionDeep, doesNotTrustTheHandlesOfAnotherProcess)
{
    const trace::ProcessTrace trace = traceOf(play(GetParam(), {"open", "deepOfAnotherProcess", "close"}));
    EXPECT_EQ(trace.proxySteps.operation, (trace::Column<std::uint64_t>{0, 0}));
}

INSTANTIATE_TEST_SUITE_P(Profiler, EveryVersionDeep, testing::Values(3, 4, 5, 6, 7),
                         [](const auto& version) { return "V" + std::to_string(version.param); });

TEST(ProfilerMask, followsTheWindowsWhileNcclRuns)
{
    const RecordedRun run =
        play(5, {"open", "step", "maskf06", "step", "maskf5e", "deep", "step", "maskf06", "close"},
             {"RINGSIDE_START_STEP=2", "RINGSIDE_STEPS=1"});
    const trace::ProcessTrace trace = traceOf(run);
    EXPECT_EQ(trace.proxySteps.size(), 2U);
}

TEST(ProfilerMask, isLeftAloneWhenItsLastCommunicatorHasGone)
{
    const RecordedRun run = play(5, {"open", "open", "close", "spoil", "maskf5e", "close", "spoil", "rest",
                                     "mask55", "open", "maskf5e", "close"});
    EXPECT_EQ(run.waitStatus, 0) << run.output;
}

#ifdef RINGSIDE_HAS_PLATFORM
TEST(ProfilerDeepPlatform, putsChannelTimesBehindTheirLaunch)
{
    const RecordedRun run({"recorded_nccl_ranks", "open", "single", "group", "single", "close"},
                          RecordedRun::Collector::Preloaded,
                          {"LD_LIBRARY_PATH=" RINGSIDE_PLATFORM, "RINGSIDE_PROFILE=deep"});
    const trace::ProcessTrace trace = traceOf(run);
    ASSERT_EQ(trace.ncclOperations.size(), 10U);
    ASSERT_EQ(trace.channelTimes.size(), 10U) << "one channel each";
    for (std::size_t i = 0; i < trace.channelTimes.size(); ++i) {
        const auto operation = std::ranges::find_if(trace.ncclOperations, [&](const auto& row) {
            return row.id == static_cast<std::int64_t>(trace.channelTimes.operation[i]);
        });
        ASSERT_NE(operation, trace.ncclOperations.end());
        EXPECT_GE(trace.channelTimes.startNs[i], operation->launchStartNs);
        EXPECT_NE(trace.channelTimes.uncertaintyNs[i], trace::kUnboundedNs);
        EXPECT_LT(trace.channelTimes.device[i], 2U);
    }
}

TEST(ProfilerDeepPlatform, splitsKernelsOnSymmetricMemoryAsNccl231Does)
{
    const RecordedRun run({"recorded_nccl_ranks", "open", "single", "close"},
                          RecordedRun::Collector::Preloaded,
                          {"LD_LIBRARY_PATH=" RINGSIDE_PLATFORM, "RINGSIDE_PROFILE=deep",
                           "RINGSIDE_PLATFORM_PROFILER_API=7", "RINGSIDE_PLATFORM_NCCL_SYMMETRIC=1"});
    EXPECT_EQ(run.text("SELECT value FROM setting WHERE name = 'profiler_api'"), "7");
    EXPECT_EQ(run.text("SELECT DISTINCT is_symmetric || ' ' || text FROM nccl_detail JOIN string ON id ="
                       " kernel_variant_id"),
              "1 RSxLDMC_AGxSTMC");
    const trace::ProcessTrace trace = traceOf(run);
    ASSERT_GT(trace.channelTimes.size(), 0U);
    for (std::size_t i = 0; i < trace.channelTimes.size(); ++i) {
        std::int64_t phasesNs = 0;
        for (std::size_t phase = 0; phase < trace.kernelPhases.size(); ++phase) {
            const bool same = trace.kernelPhases.operation[phase] == trace.channelTimes.operation[i];
            phasesNs += same ? trace.kernelPhases.endNs[phase] - trace.kernelPhases.startNs[phase] : 0;
        }
        EXPECT_EQ(phasesNs, trace.channelTimes.endNs[i] - trace.channelTimes.startNs[i]);
    }
}
#endif

} // namespace
