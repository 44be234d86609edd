// SPDX-License-Identifier: Apache-2.0
// Whole files of the PyTorch profiler, small and made here, through the frame that users go through.
#include "kineto_file.h"

namespace ringside::importers {
namespace {

TEST_F(KinetoFile, GivesLaunchConfigurationsOnceEach)
{
    const std::string launch =
        R"("registers per thread": 40, "shared memory": 400, "blocks per SM": 4.740741, )"
        R"("warps per SM": 75.851852, "grid": [512, 2, 1], "block": [ 256,1,1 ], "est. achieved occupancy %": 75)";
    Events events;
    events.kernel(kKernel, 1, 100, 120, 30, 7, launch)
        .kernel(kKernel, 2, 200, 220, 30, 7, launch)
        .kernel("other", 3, 300, 320, 30, 7, launch)
        .kernel(kKernel, 4, 400, 420, 30);
    const auto process = import(fileText(events, R"("deviceProperties": [{"id": 0, "name": "A100",
        "computeMajor": 8, "computeMinor": 0, "numSms": 108}],)"));
    EXPECT_EQ(process.kernels.configuration, (trace::Column<std::uint32_t>{1, 1, 2, 0}));
    ASSERT_EQ(process.launchConfigurations.size(), 2U);
    EXPECT_EQ(configurationOf(process, 0),
              (trace::LaunchConfigurationRow{1, process.kernels.name[0], 512, 2, 1, 256, 1, 1, 40,
                                             std::nullopt, std::nullopt, 400, 75}));
    EXPECT_EQ(process.devices.at(0).computeMajor, 8);
    EXPECT_EQ(process.devices.at(0).computeMinor, 0);
    EXPECT_EQ(process.devices.at(0).multiprocessors, 108);
}

TEST_F(KinetoFile, LeavesOutValuesThatNoLaunchHas)
{
    Events events;
    events.kernel(kKernel, 1, 100, 120, 30, 7, R"("grid": [-1, 99999999999, 1], "block": [1, 1])")
        .kernel(kKernel, 2, 200, 220, 30, 7, R"("grid": "x", "block": [32, 1, 1, 1], "shared memory": -4)")
        .kernel(kKernel, 3, 300, 320, 30, 7, R"("grid": [], "registers per thread": 1e3)")
        .kernel(
            kKernel, 4, 400, 420, 30, 7,
            R"("block": [32, 1, 1], "est. achieved occupancy %": 0, "registers per thread": 99999999999999999999)");
    const auto process = import(fileText(events));
    EXPECT_EQ(process.kernels.configuration, (trace::Column<std::uint32_t>{1, 0, 0, 2}));
    EXPECT_EQ(configurationOf(process, 0).gridX, std::nullopt);
    EXPECT_EQ(configurationOf(process, 0).gridY, std::nullopt);
    EXPECT_EQ(configurationOf(process, 0).gridZ, 1);
    EXPECT_EQ(configurationOf(process, 3).blockX, 32);
    EXPECT_EQ(configurationOf(process, 3).registersPerThread, std::nullopt);
    EXPECT_EQ(configurationOf(process, 3).estimatedOccupancyPercent, std::nullopt)
        << "0 is also what the profiler writes of kernels that it cannot judge";
}

TEST_F(KinetoFile, GivesKernelsLaunchesRangesAndThreads)
{
    Events events;
    events.kernel(kKernel, 5, 100, 120, 30)
        .complete("gpu_memcpy", "Memcpy HtoD (Pinned -> Device)", "200", "2.5",
                  R"("device": 0, "stream": 9, "correlation": 6, "bytes": 4096)", 9, 0)
        .complete("gpu_memset", "Memset (Device)", "210", "1",
                  R"("device": 0, "stream": 9, "correlation": 7, "bytes": 64)", 9, 0)
        .complete("cuda_runtime", "cudaStreamSynchronize", "300", "50", R"("correlation": 8)")
        .complete("cpu_op", "aten::mm", "95", "20")
        .complete("cpu_op", "aten::linear", "90", "40")
        .add(
            R"({"ph": "M", "name": "thread_name", "pid": 4242, "tid": 77, "ts": 0, "args": {"name": "main"}})")
        .add(R"({"ph": "M", "name": "process_name", "pid": 4242, "tid": 0, "args": {"name": "python3"}})");
    const auto process = import(fileText(
        events,
        R"("deviceProperties": [{"id": 0, "name": "H100", "totalGlobalMem": 80}], "with_stack": 0,)"));
    ASSERT_EQ(process.kernels.size(), 1U);
    EXPECT_EQ(process.text(process.kernels.name[0]), kKernel);
    EXPECT_EQ(process.kernels.startNs[0], 30'000); // after the first event
    EXPECT_EQ(process.kernels.endNs[0], 60'000);
    EXPECT_EQ(process.kernels.correlation[0], 5U);
    ASSERT_EQ(process.copies.size(), 2U);
    EXPECT_EQ(process.copies.bytes[0], 4096U);
    EXPECT_EQ(process.copies.kind[0], 1U);
    EXPECT_EQ(process.copies.hostMemory[0], trace::kPinnedMemory);
    EXPECT_EQ(process.copies.kind[1], trace::kSetKind);
    EXPECT_EQ(process.copies.hostMemory[1], 0U);
    EXPECT_EQ(process.copies.endNs[0] - process.copies.startNs[0], 2'500);
    EXPECT_EQ(process.launches.size(), 1U);
    EXPECT_EQ(process.apiCalls.size(), 2U);
    ASSERT_EQ(process.ranges.size(), 2U);
    EXPECT_EQ(process.text(process.ranges[0].name), "aten::linear");
    EXPECT_EQ(process.ranges[1].depth, 1);
    ASSERT_EQ(process.threads.size(), 1U);
    EXPECT_EQ(process.threads[0].name, "main");
    EXPECT_EQ(process.apiCalls.thread[0], process.threads[0].id);
    EXPECT_EQ(process.process.pid, 4242);
    EXPECT_EQ(process.process.command, "python3");
    ASSERT_EQ(process.devices.size(), 1U);
    EXPECT_EQ(process.devices[0].name, "H100");
    EXPECT_EQ(process.devices[0].memoryBytes, 80);
    EXPECT_TRUE(process.clockSamples.empty()); // nobody knows when that was
}

TEST_F(KinetoFile, MembersMayStandBehindTheEvents)
{
    Events events;
    events.kernel(kKernel, 5, 100, 120, 30);
    const auto process = import(fileText(
        events, "\"schemaVersion\": 1,",
        std::string(R"(, "INFO": ["x", {"y": [1, 2]}], "baseTimeNanoseconds": 1711964646000000000, )") +
            kDistributed));
    ASSERT_EQ(process.ranks.size(), 1U);
    EXPECT_EQ(process.ranks[0].rank, 1);
    EXPECT_EQ(process.ranks[0].worldSize, 2);
    EXPECT_EQ(process.ranks[0].device, 0);
    EXPECT_EQ(realtimeOf(process, process.kernels.startNs[0]), 1711964646000120000);
    EXPECT_EQ(std::ranges::count(process.settings, "nccl", &trace::SettingRow::name), 1);
}

TEST_F(KinetoFile, WithoutABaseTimesAreThoseOfTheDay)
{
    Events events;
    events.complete("kernel", kKernel, "1694128201426602.001", "3", R"("device": 0, "stream": 7)");
    const auto process = import(fileText(events));
    EXPECT_EQ(realtimeOf(process, process.kernels.startNs[0]), 1694128201426602001);
}

TEST_F(KinetoFile, ABareArrayAndOldNamesAreTaken)
{
    Events events;
    events
        .add(
            R"({"ph":"X","cat":"Kernel","name":"k","pid":0,"tid":"stream 7","ts":10,"dur":5,"args":{"device":0}})")
        .add(
            R"({"ph":"X","cat":"Memcpy","name":"Memcpy DtoH","pid":0,"tid":"stream 7","ts":20,"dur":5,"args":{}})")
        .add(
            R"({"ph":"X","cat":"Runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":1,"dur":5,"args":{"correlation":3}})")
        .add(R"({"ph":"X","cat":"Operator","name":"aten::mm","pid":1,"tid":1,"ts":0,"dur":7})");
    const auto process = import("[" + events.text() + "]");
    EXPECT_EQ(process.kernels.size(), 1U);
    EXPECT_EQ(process.kernels.stream[0], 7U);
    EXPECT_EQ(process.copies.kind.at(0), 2U);
    EXPECT_EQ(process.copies.hostMemory.at(0), 0U); // this profiler did not name it
    EXPECT_EQ(process.launches.size(), 1U);
    EXPECT_EQ(process.ranges.size(), 1U);
    EXPECT_EQ(issueOf(process, "truncated_file"), nullptr);
}

TEST_F(KinetoFile, HalvesOfRangesAreJoinedAsTheyNest)
{
    Events events;
    events.add(R"({"ph":"B","cat":"c","name":"outer","pid":1,"tid":1,"ts":0})")
        .add(R"({"ph":"B","cat":"c","name":"inner","pid":1,"tid":1,"ts":1})")
        .add(R"({"ph":"B","cat":"c","name":"other","pid":1,"tid":2,"ts":1})")
        .add(R"({"ph":"E","pid":1,"tid":1,"ts":2})")
        .add(R"({"ph":"E","pid":1,"tid":1,"ts":3})")
        .add(R"({"ph":"E","pid":1,"tid":3,"ts":3})");
    const auto process = import(fileText(events));
    ASSERT_EQ(process.ranges.size(), 2U);
    EXPECT_EQ(process.text(process.ranges[0].name), "outer");
    EXPECT_EQ(process.ranges[0].endNs, 3'000);
    EXPECT_EQ(process.text(process.ranges[1].name), "inner");
    ASSERT_NE(issueOf(process, "half_range"), nullptr);
    EXPECT_EQ(issueOf(process, "half_range")->count, 2);
}

TEST_F(KinetoFile, TimesThatNoClockShowsAreRefusedOneByOne)
{
    Events events;
    events.kernel(kKernel, 1, 100, 120, 30);
    int refused = 0;
    for (const char* const ts :
         {"NaN", "1e300", "-5", "9223372036854775807", "\"soon\"", "400000000000000"}) {
        events.complete("kernel", kKernel, ts, "1", R"("device": 0, "stream": 7)");
        ++refused;
    }
    for (const char* const dur : {"9223372036854775808", "-1", "1e300", "NaN", "500000000000000000"}) {
        events.complete("kernel", kKernel, "130", dur, R"("device": 0, "stream": 7)");
        ++refused;
    }
    events.kernel(kKernel, 2, 200, 220, 30);
    const auto process = import(fileText(events));
    EXPECT_EQ(process.kernels.size(), 2U);
    ASSERT_NE(issueOf(process, "implausible_time"), nullptr);
    EXPECT_EQ(issueOf(process, "implausible_time")->count, refused);
}

/// Most events have no time at all. The others count from 1970, or from the start of the machine.
TEST_F(KinetoFile, EventsWithoutATimeAreLeftOutAlone)
{
    for (const std::int64_t start : {std::int64_t{1'795'000'000'000'000}, std::int64_t{5'000'000}}) {
        Events events;
        const auto kernelAt = [&](std::int64_t us) {
            events.complete("kernel", kKernel, std::to_string(us), "30", R"("device": 0, "stream": 7)");
        };
        for (int i = 0; i < 5; ++i) {
            kernelAt(start + i * 100);
        }
        for (int i = 0; i < 9; ++i) {
            kernelAt(0);
        }
        const auto process = import(fileText(events));
        EXPECT_EQ(process.kernels.size(), 5U) << start;
        ASSERT_NE(issueOf(process, "implausible_time"), nullptr) << start;
        EXPECT_EQ(issueOf(process, "implausible_time")->count, 9) << start;
    }
}

TEST_F(KinetoFile, ZeroIsATimeOfARecordingThatBeginsThere)
{
    Events events;
    events.kernel(kKernel, 1, 0, 20, 30).kernel(kKernel, 2, 100, 120, 30).kernel(kKernel, 3, 200, 220, 30);
    const auto process = import(fileText(events));
    EXPECT_EQ(process.launches.size(), 3U);
    EXPECT_EQ(issueOf(process, "implausible_time"), nullptr);
}

TEST_F(KinetoFile, CyclesOfAProfilersScheduleAreNamedAsSuch)
{
    constexpr std::int64_t kBase = 1'711'964'646'000'000;
    for (int rank = 0; rank < 2; ++rank) {
        for (int cycle = 0; cycle < 2; ++cycle) {
            Events events;
            events.step(100 * cycle + 1, 10, 90).kernel(kKernel, 1, 20, 30, 50);
            write(fmt::format("rank{}_cycle{}.json", rank, cycle),
                  fileText(events, ofRank(rank, kBase + cycle * 60'000'000)));
        }
    }
    try {
        static_cast<void>(open(folder()));
        FAIL() << "four files are not two ranks";
    } catch (const Error& error) {
        const std::string what = error.what();
        EXPECT_NE(what.find("rank 0 was recorded in several cycles"), std::string::npos) << what;
        EXPECT_NE(error.hint.find("rank0_cycle0.json"), std::string::npos) << error.hint;
        EXPECT_NE(error.hint.find("rank1_cycle0.json"), std::string::npos) << error.hint;
        EXPECT_EQ(error.hint.find("cycle1.json"), std::string::npos) << error.hint;
    }
}

/// Each rank's profiler starts some collectives after that of the rank before. Nothing numbers the calls.
/// Steps take different times, as they do.
TEST_F(KinetoFile, CallsOfProfilersThatStartedApartAreMatchedByTheirEnds)
{
    constexpr std::int64_t kBase = 1'711'964'646'000'000;
    constexpr int kCalls = 30;
    for (int rank = 0; rank < 2; ++rank) {
        Events events;
        std::int64_t us = 1000;
        for (int call = 0; call < kCalls + 5; ++call) {
            us += 1000 + call * 7919 % 100;
            const bool recorded = rank == 0 ? call < kCalls : call >= 5;
            if (recorded) {
                events.kernel(
                    kAllReduce, call + 1, static_cast<int>(us) - 40, static_cast<int>(us), 500, 20,
                    R"("Collective name": "allreduce", "Process Group Name": "0", "Group size": 2, )"
                    R"("Process Group Ranks": "[0, 1]", "In msg nelems": 100, "dtype": "Float")");
            }
        }
        write(fmt::format("rank{}.json", rank), fileText(events, ofRank(rank, kBase + rank * 300)));
    }
    const trace::RunTrace run = open(folder());
    EXPECT_TRUE(std::ranges::any_of(
        run.issues, [](const trace::IssueRow& row) { return row.is(trace::Issue::RecordingsApart); }));
    const model::Model model = model::buildModel(run);
    std::size_t complete = 0;
    for (const model::Operation& operation : model.operations) {
        if (operation.complete()) {
            ++complete;
            EXPECT_EQ(operation.participants[0].device->end % 1'000'000,
                      (operation.participants[1].device->end - 300'000) % 1'000'000);
        }
    }
    EXPECT_EQ(complete, 25U);
}

} // namespace
} // namespace ringside::importers
