// SPDX-License-Identifier: Apache-2.0
// Profiles of JAX and TensorFlow: what becomes of their planes, and what damage costs.
#include "kineto_file.h"
#include "xplane_file.h"

#include <zlib.h>

namespace ringside::importers {
namespace {

using test::ProtoWriter;
using test::XPlaneWriter;

constexpr std::int64_t kStarted = 1'771'595'639'214'724'894; // 2026

class XPlane : public KinetoFile {
protected:
    trace::ProcessTrace read(const std::string& text)
    {
        trace::RunTrace run = open(write("host1.xplane.pb", text));
        return std::move(run.processes.front());
    }
    std::filesystem::path zipped(const std::string& name, const std::string& text)
    {
        const std::filesystem::path path = folder() / name;
        gzFile file = gzopen(path.c_str(), "wb");
        gzwrite(file, text.data(), static_cast<unsigned>(text.size()));
        gzclose(file);
        return path;
    }
};

TEST_F(XPlane, PlanesOfDevicesGiveKernelsAndThoseOfTheHostCallsStepsAndRanges)
{
    const auto process = read(test::jaxProfile(kStarted, 1));
    EXPECT_EQ(process.process.host, "host1");
    ASSERT_EQ(process.kernels.size(), 12U);
    EXPECT_EQ(process.text(process.kernels.name[0]), "loop_fusion");
    EXPECT_EQ(process.kernels.stream[0], 17U);
    EXPECT_EQ(process.kernels.endNs[0] - process.kernels.startNs[0], 400'000);
    EXPECT_EQ(realtimeOf(process, process.kernels.startNs[0]), kStarted + 5'000 + 30'000);
    ASSERT_EQ(process.devices.size(), 1U);
    EXPECT_EQ(process.devices[0].name, "NVIDIA H200");
    EXPECT_EQ(process.devices[0].multiprocessors, 132);
    const auto configuration = configurationOf(process, 0);
    EXPECT_EQ(configuration.gridX, 16);
    EXPECT_EQ(configuration.gridY, 2);
    EXPECT_EQ(configuration.blockX, 256);
    EXPECT_EQ(configuration.registersPerThread, 32);
    EXPECT_EQ(configuration.sharedBytes, 1536);
    EXPECT_FALSE(configuration.estimatedOccupancyPercent) << "XLA writes 0 if it did not compute it";
    EXPECT_EQ(process.apiCalls.size(), 12U);
    EXPECT_EQ(process.launches.size(), 12U);
    ASSERT_EQ(process.steps.size(), 6U);
    EXPECT_EQ(process.steps[0].number, 10);
    EXPECT_EQ(process.steps[5].number, 15);
    ASSERT_EQ(process.ranges.size(), 6U);
    EXPECT_EQ(process.text(process.ranges[0].name), "train");
    ASSERT_EQ(process.pythonCalls.size(), 6U);
    EXPECT_EQ(process.text(process.pythonCalls.name[0]), "train.py:12 step");
    ASSERT_EQ(process.threads.size(), 2U);
    EXPECT_EQ(process.threads[0].tid, 661);
    EXPECT_EQ(process.threads[1].name, "python");
}

TEST_F(XPlane, PartsOfAStepThatRepeatItsNumberAreNoSteps)
{
    XPlaneWriter cpu("/host:CPU");
    cpu.line(661, "python", 5000);
    cpu.event("train", 0, 900, {{{"step_num", 3}, {"_r", 1}}, {}});
    cpu.event("FunctionRun", 10, 100, {{{"step_num", 3}}, {}});
    const auto process = read(test::xspace({cpu.text()}));
    EXPECT_EQ(process.steps.size(), 1U);
    EXPECT_EQ(process.ranges.size(), 2U);
}

TEST_F(XPlane, CollectivesAreCalledAsXlaCallsThem)
{
    const auto process = read(test::jaxProfile(kStarted, 1));
    ASSERT_EQ(process.collectiveCalls.size(), 6U);
    EXPECT_EQ(process.text(process.collectiveCalls[0].api), "ncclAllReduce"); // the kernel is Generic
    EXPECT_FALSE(process.collectiveCalls[0].bytes);
    ASSERT_NE(issueOf(process, "message_sizes_missing"), nullptr);
    EXPECT_EQ(issueOf(process, "message_sizes_missing")->count, 6);
}

/// Each GPU of a process is a rank. Two hosts' files are one run, on one clock.
TEST_F(XPlane, FilesOfSeveralHostsAreRanksOfOneRun)
{
    write("host1.xplane.pb", test::jaxProfile(kStarted, 2));
    write("host2.xplane.pb", test::jaxProfile(kStarted + 1'000'000, 2, 100, "host2"));
    const trace::RunTrace run = open(folder());
    ASSERT_EQ(run.processes.size(), 2U);
    EXPECT_EQ(run.processes[1].process.host, "host2");
    ASSERT_EQ(run.processes[1].ranks.size(), 2U);
    EXPECT_EQ(run.processes[1].ranks[1].rank, 3);
    EXPECT_EQ(run.processes[1].ranks[1].device, 1);
    const model::Model model = model::buildModel(run);
    ASSERT_EQ(model.ranks.size(), 4U);
    const auto whole = std::ranges::count_if(
        model.operations, [](const auto& operation) { return operation.participants.size() == 4; });
    EXPECT_EQ(whole, 6);
}

/// JAX writes the same profile again for the trace viewer, and for Perfetto if it is asked to.
TEST_F(XPlane, TheSameProfileForAViewerIsNotCountedTwice)
{
    const std::string events =
        fileText(Events().complete("", "loop_fusion", "5", "400", "", 17, 1)); // as the viewer's are
    write("host1.xplane.pb", test::jaxProfile(kStarted, 1));
    zipped("host1.trace.json.gz", events);
    zipped("perfetto_trace.json.gz", events);
    const trace::RunTrace run = open(folder());
    ASSERT_EQ(run.processes.size(), 1U);
    EXPECT_EQ(run.processes[0].kernels.size(), 12U);
    ASSERT_NE(issueOf(run, "imported"), nullptr);
    EXPECT_NE(run.issues.back().message.find("host1.trace.json.gz"), std::string::npos);
}

/// A number in the name of a host is no rank.
TEST_F(XPlane, TheNameOfAHostIsNoRank)
{
    const trace::RunTrace run = open(write("worker-13.xplane.pb", test::jaxProfile(kStarted, 1)));
    EXPECT_EQ(run.processes.at(0).ranks.at(0).rank, 0);
}

/// XLA runs one program on all GPUs of a process, so that each is a rank, also where none communicates.
TEST_F(XPlane, EachGpuWithKernelsIsARank)
{
    XPlaneWriter first("/device:GPU:0");
    first.line(17, "Stream #17(Kernel)", 5000).event("loop_fusion", 1, 20, test::ofKernel(1));
    XPlaneWriter second("/device:GPU:3");
    second.line(18, "Stream #18(Kernel)", 5000).event("loop_fusion", 1, 20, test::ofKernel(2));
    const XPlaneWriter idle("/device:GPU:4");
    const auto process = read(test::xspace({first.text(), second.text(), XPlaneWriter(idle).text()}));
    ASSERT_EQ(process.ranks.size(), 2U);
    EXPECT_EQ(process.ranks[1].device, 3);
}

TEST_F(XPlane, AFileMayBeCompressed)
{
    const trace::RunTrace run = open(zipped("host1.xplane.pb.gz", test::jaxProfile(kStarted, 1)));
    EXPECT_EQ(run.processes.at(0).kernels.size(), 12U);
}

TEST_F(XPlane, CopiesAndSetsHaveKindsBytesAndMemory)
{
    XPlaneWriter gpu("/device:GPU:1");
    gpu.line(9, "Stream #9(MemcpyH2D)", 5000);
    gpu.event("MemcpyH2D", 1, 20,
              {{{"correlation_id", 4}},
               {{"memcpy_details", "kind_src:pageable kind_dst:device size:4096 dest:1 async:1"}}});
    gpu.event("CopyDeviceToHost", 30, 20,
              {{{"correlation_id", 5}}, {{"memcpy_details", "kind:Unknown size:512 dest:2 async:1"}}});
    gpu.event("Memset", 60, 2, {{}, {{"Memset_details", "kind:device num_bytes:64 async:1"}}});
    gpu.event("MemoryAlloc", 70, 2, {{}, {{"memalloc_details", "kind:device num_bytes:64"}}});
    const auto process = read(test::xspace({gpu.text()}));
    ASSERT_EQ(process.copies.size(), 3U);
    EXPECT_EQ(process.copies.kind[0], 1U);
    EXPECT_EQ(process.copies.bytes[0], 4096U);
    EXPECT_EQ(process.copies.hostMemory[0], trace::kPageableMemory);
    EXPECT_EQ(process.copies.kind[1], 2U);
    EXPECT_EQ(process.copies.bytes[1], 512U);
    EXPECT_EQ(process.copies.kind[2], trace::kSetKind);
    EXPECT_EQ(process.copies.bytes[2], 64U);
    EXPECT_EQ(process.copies.device[0], 1U);
    ASSERT_NE(issueOf(process, "events_left_out"), nullptr);
    EXPECT_EQ(issueOf(process, "events_left_out")->count, 1);
    EXPECT_TRUE(process.clockSamples.empty()) << "the start of the profile is not in the file";
}

/// Where the host marks no steps, the line of a device does. Other derived lines repeat the kernels.
TEST_F(XPlane, DerivedLinesGiveStepsAndNoWork)
{
    XPlaneWriter gpu("/device:GPU:0");
    gpu.line(17, "Stream #17(Kernel)", 5000).event("loop_fusion", 1, 20, test::ofKernel(1));
    gpu.line(1, "Steps", 5000).event("3", 1, 50).event("4", 60, 50);
    gpu.line(2, "XLA Modules", 5000).event("jit_train_step", 1, 20);
    const auto process = read(test::xspace({gpu.text()}));
    EXPECT_EQ(process.kernels.size(), 1U);
    ASSERT_EQ(process.steps.size(), 2U);
    EXPECT_EQ(process.steps[1].number, 4);
    EXPECT_EQ(issueOf(process, "events_left_out")->count, 1);
}

TEST_F(XPlane, LinesMayCountFrom1970)
{
    XPlaneWriter gpu("/device:GPU:0");
    gpu.line(17, "Stream #17(Kernel)", kStarted).event("loop_fusion", 1, 20, test::ofKernel(1));
    const auto process = read(test::xspace({gpu.text(), test::startedAt(kStarted)}));
    EXPECT_EQ(realtimeOf(process, process.kernels.startNs[0]), kStarted + 1000);
}

TEST_F(XPlane, AGraphThatWasRecordedAsAWholeIsSaid)
{
    XPlaneWriter gpu("/device:GPU:0");
    gpu.line(17, "Stream #17(CudaGraph)", 5000);
    gpu.event("CudaGraph", 1, 20, {{{"correlation_id", 1}, {"cuda_graph_exec_id", 7}}, {}});
    const auto process = read(test::xspace({gpu.text()}));
    EXPECT_EQ(process.kernels.size(), 1U);
    ASSERT_NE(issueOf(process, "graphs_whole"), nullptr);
}

TEST_F(XPlane, TheReportJudgesAProfileOfTwoHosts)
{
    write("host1.xplane.pb", test::jaxProfile(kStarted, 1));
    write("host2.xplane.pb", test::jaxProfile(kStarted, 1, 100, "host2"));
    const std::string text = textOf(report::buildReport(open(folder()), {}), "text");
    EXPECT_NE(text.find("late_rank"), std::string::npos) << text;
}

/// Older profiles on AMD's GPUs have the launches of copies only: how late kernels were launched is not
/// known.
TEST_F(XPlane, AHostWhoseLaunchesAreNotKnownIsNotBlamed)
{
    XPlaneWriter gpu("/device:GPU:0");
    gpu.line(17, "Stream #17(Kernel)", 5000);
    for (std::uint64_t i = 0; i < 20; ++i) {
        gpu.event("loop_fusion", i * 1000, 100, test::ofKernel(1000 + i));
        gpu.event("CopyDeviceToDevice", i * 1000 + 500, 50,
                  {{{"correlation_id", i + 1}}, {{"memcpy_details", "size:64 dest:0 async:1"}}});
    }
    XPlaneWriter cpu("/host:CPU");
    cpu.line(661, "Host Threads/661", 5000);
    for (std::uint64_t i = 0; i < 20; ++i) {
        cpu.event("hipMemcpyDtoDAsync", i * 1000 + 490, 5, {{{"correlation_id", i + 1}}, {}});
    }
    write("host1.xplane.pb", test::xspace({cpu.text(), gpu.text()}));
    const std::string text = textOf(report::buildReport(open(folder()), {}), "text");
    EXPECT_EQ(text.find("does not launch in time"), std::string::npos) << text;
}

// Damage

/// Every prefix of a file gives what came before its end, or an Error, and says so.
TEST_F(XPlane, AFileMayBreakOffAnywhere)
{
    const std::string whole = test::jaxProfile(kStarted, 1);
    const Importer& importer = **std::ranges::find(all(), std::string_view("xplane"), &Importer::id);
    std::size_t reported = 0;
    for (std::size_t length = 1; length < whole.size(); length += 7) {
        const auto path = write("host1.xplane.pb", whole.substr(0, length));
        Progress progress;
        try {
            const auto processes = importer.import({path, 1, progress});
            reported += issueOf(processes.front(), "truncated_file") != nullptr ? 1 : 0;
            EXPECT_LE(processes.front().kernels.size(), 12U);
        } catch (const Error&) {
            ++reported;
        }
    }
    // Between two planes nothing shows that more were to follow.
    EXPECT_GE(reported, (whole.size() - 1) / 7 - 3);
}

TEST_F(XPlane, IdsThatReferToNothingAreCounted)
{
    XPlaneWriter gpu("/device:GPU:0");
    gpu.line(17, "Stream #17(Kernel)", 5000).event("loop_fusion", 1, 20, test::ofKernel(1));
    XPlaneWriter nameless("/device:GPU:1");
    nameless.line(17, "Stream #17(Kernel)", 5000).event("loop_fusion", 1, 20, test::ofKernel(1));
    const auto process = read(test::xspace({gpu.text(), nameless.text(false)}));
    EXPECT_EQ(process.kernels.size(), 1U);
    ASSERT_NE(issueOf(process, "names_missing"), nullptr);
    EXPECT_EQ(issueOf(process, "names_missing")->count, 1);
}

/// A length beyond its message, a varint without an end, a group, impossible times, a stream of 64 bits.
TEST_F(XPlane, DamagedEventsAreCountedAndTheOthersKept)
{
    XPlaneWriter gpu("/device:GPU:0");
    gpu.line(17, "Stream #17(Kernel)", 5000).event("loop_fusion", 1, 20, test::ofKernel(1));
    gpu.raw(std::string("\x22\xFF\x01", 3)).raw(std::string(11, '\xFF')).raw("\x0B");
    gpu.raw(ProtoWriter().number(1, 1).number(2, ~0ULL).number(3, 1).text());
    gpu.line(std::int64_t{1} << 40U, "Stream #1099511627776", 5000)
        .event("loop_fusion", 1, 20, test::ofKernel(2));
    const auto process = read(test::xspace({gpu.text()}));
    EXPECT_EQ(process.kernels.size(), 1U);
    ASSERT_NE(issueOf(process, "damaged_event"), nullptr);
    EXPECT_EQ(issueOf(process, "damaged_event")->count, 3);
    ASSERT_NE(issueOf(process, "implausible_time"), nullptr);
    ASSERT_NE(issueOf(process, "incomplete_event"), nullptr);
}

TEST_F(XPlane, AFileWithoutGpuAndThreadsIsRefused)
{
    try {
        static_cast<void>(read(test::xspace({test::startedAt(kStarted)})));
        FAIL();
    } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find("neither a GPU nor threads"), std::string::npos);
    }
}

TEST_F(XPlane, WhatTheProfilerComplainsOfIsKept)
{
    XPlaneWriter gpu("/device:GPU:0");
    gpu.line(17, "Stream #17(Kernel)", 5000).event("loop_fusion", 1, 20, test::ofKernel(1));
    const auto process =
        read(test::xspace({gpu.text()}) + ProtoWriter().bytes(3, "1234 events were dropped").text());
    const auto tier = std::ranges::find(process.tiers, trace::TierName("device"), &trace::TierRow::tier);
    ASSERT_NE(tier, process.tiers.end());
    EXPECT_NE(tier->reason.find("1234 events were dropped"), std::string::npos);
}

} // namespace
} // namespace ringside::importers
