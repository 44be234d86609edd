// SPDX-License-Identifier: Apache-2.0
// Whole files of the PyTorch profiler, small and made here, through the frame that users go through.
#include "hang/hang.h"
#include "import/kineto/scan_events.h"
#include "import/open_run.h"
#include "issue_of.h"
#include "model/build_model.h"
#include "model/model.h"
#include "report/format.h"
#include "report/report.h"
#include "support/said.h"
#include "support/temporary_directory.h"

#include <ringside/error.h>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>
#include <fstream>

namespace ringside::importers {
namespace {

using test::TemporaryDirectory;

constexpr const char* kKernel = "ampere_sgemm";
constexpr const char* kAllReduce =
    "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)";

const Importer& kineto()
{
    return **std::ranges::find(all(), std::string_view("kineto"), &Importer::id);
}

/// Events in the words of a trace. Times in us.
class Events {
public:
    Events& add(const std::string& event)
    {
        m_text += (m_text.empty() ? "" : ",\n  ") + event;
        return *this;
    }
    Events& complete(const std::string& category, const std::string& name, const std::string& ts,
                     const std::string& dur, const std::string& args = "", int tid = 77, int pid = 4242)
    {
        return add(fmt::format(
            R"({{"ph": "X", "cat": "{}", "name": "{}", "pid": {}, "tid": {}, "ts": {}, "dur": {}, "args": {{{}}}}})",
            category, name, pid, tid, ts, dur, args));
    }
    /// A launch and its kernel.
    Events& kernel(const std::string& name, int correlation, int launchUs, int startUs, int durationUs,
                   int stream = 7, const std::string& args = "")
    {
        complete("cuda_runtime", "cudaLaunchKernel", std::to_string(launchUs), "4",
                 fmt::format("\"cbid\": 211, \"correlation\": {}", correlation));
        return complete("kernel", name, std::to_string(startUs), std::to_string(durationUs),
                        fmt::format(R"("device": 0, "context": 1, "stream": {}, "correlation": {}{})", stream,
                                    correlation, args.empty() ? "" : ", " + args),
                        stream, 0);
    }
    Events& step(int number, int startUs, int durationUs)
    {
        return complete("user_annotation", fmt::format("ProfilerStep#{}", number), std::to_string(startUs),
                        std::to_string(durationUs));
    }
    [[nodiscard]] const std::string& text() const { return m_text; }

private:
    std::string m_text;
};

std::string fileText(const Events& events, const std::string& head = "\"schemaVersion\": 1,",
                     const std::string& tail = "")
{
    return "{\n" + head + "\n\"traceEvents\": [\n  " + events.text() + "\n]" + tail + "}\n";
}

class KinetoFile : public testing::Test {
protected:
    std::filesystem::path write(const std::string& name, const std::string& text)
    {
        std::ofstream(m_folder / name, std::ios::binary) << text;
        return m_folder / name;
    }
    trace::RunTrace open(const std::filesystem::path& path)
    {
        Progress progress;
        return openRun({path}, progress);
    }
    trace::ProcessTrace import(const std::string& text)
    {
        trace::RunTrace run = open(write("trace.json", text));
        return std::move(run.processes.front());
    }
    [[nodiscard]] const std::filesystem::path& folder() const { return m_folder.path(); }

private:
    TemporaryDirectory m_folder;
};

std::string textOf(const report::Report& report, std::string_view format)
{
    return report::formatNamed(format).render(report);
}

std::int64_t realtimeOf(const trace::ProcessTrace& process, std::int64_t ns)
{
    const trace::ClockSampleRow& sample = process.clockSamples.at(0);
    return ns - sample.monotonicNs + sample.realtimeNs;
}

constexpr const char* kDistributed =
    R"("distributedInfo": {"backend": "nccl", "rank": 1, "world_size": 2, "pg_config": [)"
    R"({"pg_name": "0", "pg_desc": "default_pg", "pg_size": 2, "ranks": [0, 1]}, )"
    R"({"pg_name": "1", "pg_desc": "x", "ranks": [1]}], "nccl_version": "2.28.9"})";

trace::LaunchConfigurationRow configurationOf(const trace::ProcessTrace& process, std::size_t kernel)
{
    const std::uint32_t id = process.kernels.configuration[kernel];
    return id == 0 ? trace::LaunchConfigurationRow() : process.launchConfigurations.at(id - 1);
}

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

std::string ofRank(int rank, std::int64_t baseUs)
{
    return fmt::format(
        R"("baseTimeNanoseconds": {}, "distributedInfo": {{"backend": "nccl", "rank": {}, "world_size": 2}},)",
        baseUs * 1000, rank);
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

TEST_F(KinetoFile, DirtInStringsIsNoReasonToStop)
{
    Events events;
    events.complete("cpu_op", "tab\there\x01 and \xFF", "1", "2").kernel(kKernel, 1, 100, 120, 30);
    const auto process = import(fileText(events));
    ASSERT_EQ(process.ranges.size(), 1U);
    EXPECT_EQ(process.text(process.ranges[0].name), "tab?here? and ?");
    EXPECT_EQ(process.kernels.size(), 1U);
}

TEST_F(KinetoFile, WhatIsWholeOfATruncatedFileIsKept)
{
    Events events;
    for (int i = 0; i < 20; ++i) {
        events.kernel(kKernel, i + 1, 100 * i, 100 * i + 20, 30);
    }
    const std::string whole = fileText(events, std::string(kDistributed) + ",", ", \"traceName\": \"x\"");
    const std::size_t first = whole.find("traceEvents");
    for (std::size_t size = first + 16; size < whole.size() - 2; size += 37) {
        const auto process = import(whole.substr(0, size));
        ASSERT_NE(issueOf(process, "truncated_file"), nullptr) << size;
        const std::size_t atMost = static_cast<std::size_t>(
            std::count(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size), '\n'));
        EXPECT_LE(process.kernels.size(), atMost);
        EXPECT_GE(process.kernels.size() + 3, atMost / 2) << size;
        EXPECT_EQ(process.ranks.at(0).rank, 1);
    }
    EXPECT_THROW(import(whole.substr(0, first)), Error);
    EXPECT_EQ(issueOf(import(whole), "truncated_file"), nullptr);
}

TEST_F(KinetoFile, DamageInTheMiddleCostsOneEvent)
{
    Events events;
    for (int i = 0; i < 9; ++i) {
        events.kernel(kKernel, i + 1, 100 * i, 100 * i + 20, 30);
    }
    std::string text = fileText(events);
    text.replace(text.find("\"correlation\": 5"), 16, "\"corr]lation\" }5");
    const auto process = import(text);
    EXPECT_EQ(process.kernels.size() + process.launches.size(), 17U);
    ASSERT_NE(issueOf(process, "damaged_event"), nullptr);
    EXPECT_EQ(issueOf(process, "damaged_event")->count, 1);
    EXPECT_NE(issueOf(process, "damaged_event")->message.find("at byte"), std::string::npos);
}

TEST_F(KinetoFile, WhatHasNoPlaceIsCounted)
{
    Events events;
    events.kernel(kKernel, 1, 100, 120, 30)
        .complete("python_function", "f", "1", "2")
        .complete("gpu_user_annotation", "a", "1", "2", R"("stream": 7)", 7, 0)
        .add(R"({"ph": "s", "id": 1, "pid": 1, "tid": 1, "ts": 1, "cat": "ac2g", "name": "ac2g"})")
        .add(R"({"ph": "i", "name": "x", "ts": 1})")
        .add(R"({"ph": "C", "name": "x", "ts": 1})")
        .add(R"({"name": "x", "ts": 1})");
    const auto process = import(fileText(events));
    ASSERT_NE(issueOf(process, "events_left_out"), nullptr);
    EXPECT_EQ(issueOf(process, "events_left_out")->count, 5);
    EXPECT_EQ(process.pythonCalls.size(), 1U);
}

std::string ncclArguments(const std::string& name, int elements, const std::string& extra = "")
{
    return fmt::format(
        R"("Collective name": "{}", "In msg nelems": {}, "Out msg nelems": {}, "Group size": 2, )"
        R"("dtype": "Float", "In split size": "[]", "Process Group Name": "0", )"
        R"("Process Group Description": "default_pg", "Process Group Ranks": "[0, 1]"{})",
        name, elements, elements, extra);
}

TEST_F(KinetoFile, CollectivesComeFromTheArgumentsOfTheirKernels)
{
    Events events;
    events.kernel(kAllReduce, 1, 100, 120, 30, 40, ncclArguments("allreduce", 1000, ", \"Seq\": 11"))
        .kernel("ncclDevKernel_ReduceScatter_Sum_bf16_RING_LL()", 2, 200, 220, 30, 40,
                R"("Collective name": "_reduce_scatter_base", "In msg nelems": 8, "Out msg nelems": 4, )"
                R"("Group size": 2, "dtype": "BFloat16", "Process Group Name": "0", )"
                R"("Process Group Ranks": "[0, 1]", "Seq": 12)")
        .kernel("ncclDevKernel_SendRecv()", 3, 300, 320, 30, 40,
                ncclArguments("all_to_all", 100, ", \"Seq\": 13"));
    const auto process = import(fileText(events, std::string(kDistributed) + ","));
    ASSERT_EQ(process.communicators.size(), 1U);
    EXPECT_EQ(process.communicators[0].size, 2);
    EXPECT_EQ(process.communicators[0].rank, 1);
    EXPECT_EQ(process.text(process.communicators[0].name), "default_pg");
    ASSERT_EQ(process.collectiveCalls.size(), 3U);
    const auto& reduce = process.collectiveCalls[0];
    EXPECT_EQ(process.text(reduce.api), "ncclAllReduce");
    EXPECT_EQ(reduce.sequence, 11);
    EXPECT_EQ(reduce.count, 1000U);
    EXPECT_EQ(reduce.bytes, 4000U);
    EXPECT_EQ(reduce.datatype, 7);
    EXPECT_EQ(reduce.startNs, 0); // its launch
    EXPECT_EQ(process.text(process.collectiveCalls[1].api), "ncclReduceScatter");
    EXPECT_EQ(process.collectiveCalls[1].bytes, 8U); // 4 elements of 2 bytes
    EXPECT_EQ(process.text(process.collectiveCalls[2].api), "ncclAlltoAll");
    EXPECT_EQ(process.collectiveCalls[2].count, 50U);
    EXPECT_EQ(process.callCorrelations.size(), 3U);
}

/// A send to global rank 5 and a receive from 1, by rank 1 of the job: 2 and 0 in the group, whatever numbers
/// the group's ranks have. A rank outside of the group is nobody.
TEST_F(KinetoFile, PeersAreGlobalRanks)
{
    const auto message = [](const char* name, const char* peer, const char* ranks, int size) {
        return fmt::format(
            R"("Collective name": "{}", "In msg nelems": 8, "Out msg nelems": 8, "Group size": {}, )"
            R"("dtype": "Float", "Process Group Name": "3", "Process Group Ranks": "{}", {})",
            name, size, ranks, peer);
    };
    struct Case {
        const char* name = nullptr;
        const char* peer = nullptr;
        const char* ranks = nullptr;
        int size = 0;
        std::optional<std::int64_t> place;
    };
    for (const Case& each : {Case{"send", R"("Dst Rank": 5)", "[0, 1, 5]", 3, 2},
                             Case{"send", R"("Dst Rank": 1)", "[5, 1, 2, 0]", 4, 1},
                             Case{"recv", R"("Src Rank": 2)", "[1, 2, 3, 0]", 4, 1},
                             Case{"recv", R"("Src Rank": 5)", "[1, 5]", 2, 1},
                             Case{"send", R"("Dst Rank": 7)", "[0, 1, 5]", 3, std::nullopt},
                             Case{"send", R"("Dst Rank": 1)", "[4, 5, 6]", 3, std::nullopt},
                             Case{"recv", R"("Src Rank": 0)", "[]", 2, 0},
                             Case{"recv", R"("Src Rank": 0)", "[]", 3, std::nullopt}}) {
        Events events;
        events.kernel("ncclDevKernel_SendRecv()", 1, 100, 120, 30, 40,
                      message(each.name, each.peer, each.ranks, each.size));
        const auto process = import(fileText(events, std::string(kDistributed) + ","));
        ASSERT_EQ(process.collectiveCalls.size(), 1U);
        EXPECT_EQ(process.collectiveCalls[0].peer, each.place) << each.peer << " in " << each.ranks;
    }
}

TEST_F(KinetoFile, CallsOfOneNumberWereIssuedTogether)
{
    Events events;
    events.kernel(kAllReduce, 1, 100, 120, 30, 40, ncclArguments("allreduce_coalesced", 10, ", \"Seq\": 5"))
        .kernel(kAllReduce, 2, 110, 160, 30, 40, ncclArguments("allreduce_coalesced", 20, ", \"Seq\": 5"))
        .kernel(kAllReduce, 3, 200, 220, 30, 40, ncclArguments("allreduce", 30, ", \"Seq\": 6"));
    const auto process = import(fileText(events));
    ASSERT_EQ(process.groups.size(), 1U);
    EXPECT_EQ(process.groups[0].calls, 2);
    ASSERT_EQ(process.collectiveCalls.size(), 3U);
    EXPECT_EQ(process.collectiveCalls[0].groupId, process.groups[0].id);
    EXPECT_EQ(process.collectiveCalls[1].groupId, process.groups[0].id);
    EXPECT_EQ(process.collectiveCalls[2].groupId, 0);
}

/// As FSDP gathers on one stream and reduces on another: the kernel that was launched first need not start
/// first.
TEST_F(KinetoFile, CallsAreInTheOrderOfTheirLaunches)
{
    Events events;
    events.kernel(kAllReduce, 1, 100, 300, 30, 40, ncclArguments("allreduce", 10, ", \"Seq\": 7"))
        .kernel(kAllReduce, 2, 110, 150, 30, 41, ncclArguments("allreduce", 20, ", \"Seq\": 8"));
    const auto process = import(fileText(events));
    ASSERT_EQ(process.collectiveCalls.size(), 2U);
    EXPECT_EQ(process.collectiveCalls[0].sequence, 7);
    EXPECT_EQ(process.collectiveCalls[0].count, 10U);
    EXPECT_EQ(process.collectiveCalls[1].sequence, 8);
}

TEST_F(KinetoFile, OldTracesNameCollectivesByTheAnnotationAroundTheLaunch)
{
    Events events;
    events.complete("user_annotation", "nccl:all_to_all", "95", "12")
        .kernel("ncclKernel_SendRecv_RING_SIMPLE_Sum_int8_t()", 1, 100, 120, 30, 84)
        .kernel("ncclKernel_AllReduce_RING_LL_Sum_float()", 2, 200, 220, 30, 84)
        .kernel("ncclKernel_SendRecv_RING_SIMPLE_Sum_int8_t()", 3, 300, 320, 30, 84);
    const auto process = import(fileText(events));
    ASSERT_EQ(process.collectiveCalls.size(), 2U);
    EXPECT_EQ(process.text(process.collectiveCalls[0].api), "ncclAlltoAll");
    EXPECT_FALSE(process.collectiveCalls[0].count);
    EXPECT_EQ(process.text(process.collectiveCalls[1].api), "ncclAllReduce");
    ASSERT_NE(issueOf(process, "collectives_unnamed"), nullptr);
    EXPECT_EQ(issueOf(process, "collectives_unnamed")->count, 1);
    ASSERT_NE(issueOf(process, "groups_unknown"), nullptr);
    EXPECT_EQ(issueOf(process, "groups_unknown")->count, 2);
}

TEST_F(KinetoFile, OperatorsDescribeCollectivesWhoseKernelsDoNot)
{
    Events events;
    events.complete("cpu_op", "record_param_comms", "95", "12", ncclArguments("allreduce", 1000))
        .kernel(kAllReduce, 1, 100, 120, 30, 40);
    const auto process = import(fileText(events));
    ASSERT_EQ(process.collectiveCalls.size(), 1U);
    EXPECT_EQ(process.collectiveCalls[0].bytes, 4000U);
    EXPECT_EQ(process.communicators.at(0).size, 2);
}

/// NCCL lets copy engines do a collective: its operator launches copies and no kernel.
TEST_F(KinetoFile, CopiesWithinACollectiveWithoutAKernelAreItsOwn)
{
    const auto copy = [](Events& events, const char* name, int correlation, int launchUs, int startUs) {
        const std::string id = std::to_string(correlation);
        events
            .complete("cuda_runtime", "cudaMemcpyBatchAsync", std::to_string(launchUs), "1",
                      "\"correlation\": " + id)
            .complete("gpu_memcpy", name, std::to_string(startUs), "5",
                      R"("device": 0, "stream": 40, "bytes": 2000, "correlation": )" + id, 40, 0);
    };
    Events events;
    events.complete("cpu_op", "record_param_comms", "95", "12", ncclArguments("_allgather_base", 1000));
    copy(events, "Memcpy PtoP (Device -> Device)", 1, 97, 120);
    copy(events, "Memcpy PtoP (Device -> Device)", 2, 99, 121);
    copy(events, "Memcpy DtoD (Device -> Device)", 3, 200, 210); // the program's own
    events.complete("cpu_op", "record_param_comms", "295", "12", ncclArguments("allreduce", 1000))
        .kernel(kAllReduce, 4, 300, 320, 30, 40);
    copy(events, "Memcpy DtoD (Device -> Device)", 5, 304, 360); // beside a kernel
    const auto process = import(fileText(events));
    ASSERT_EQ(process.collectiveCalls.size(), 2U);
    EXPECT_EQ(process.text(process.collectiveCalls[0].api), "ncclAllGather");
    EXPECT_EQ(process.collectiveCalls[0].bytes, 4000U);
    ASSERT_EQ(process.callCorrelations.size(), 3U);
    for (const std::size_t each : {0U, 1U}) {
        EXPECT_EQ(process.callCorrelations.correlation[each], each + 1);
        EXPECT_EQ(static_cast<std::int64_t>(process.callCorrelations.call[each]),
                  process.collectiveCalls[0].id);
    }
    EXPECT_EQ(process.callCorrelations.correlation[2], 4U);
}

TEST_F(KinetoFile, KernelsOfOneGraphLaunchAreNotTakenForCalls)
{
    Events events;
    events.kernel(kAllReduce, 1, 100, 120, 30, 40, ncclArguments("allreduce", 10))
        .complete("kernel", kAllReduce, "200", "5", R"("device": 0, "stream": 40, "correlation": 1)", 40, 0);
    const auto process = import(fileText(events));
    EXPECT_EQ(process.kernels.size(), 2U);
    EXPECT_TRUE(process.collectiveCalls.empty());
    ASSERT_NE(issueOf(process, "graph_calls_unknown"), nullptr);
}

/// Two ranks on clocks 1 s apart: rank 1 comes last and both end together.
TEST_F(KinetoFile, RanksMeetInTheirCollectives)
{
    for (int rank = 0; rank < 2; ++rank) {
        Events events;
        for (int step = 0; step < 8; ++step) {
            const int at = 10'000 * step + 1'000'000 * rank;
            events.step(step, at, 9'000).kernel(kKernel, 10 * step + 1, at + 10, at + 20, 1000 + 500 * rank);
            const int start = at + 1100 + 500 * rank;
            events.kernel(kAllReduce, 10 * step + 2, at + 30, start, at + 2'000 - start, 40,
                          ncclArguments("allreduce", 1000));
        }
        write(fmt::format("node_{}.json", rank),
              fileText(events, "\"schemaVersion\": 1,", ", \"baseTimeNanoseconds\": 1711964646000000000"));
    }
    const model::Model model = model::buildModel(open(folder()));
    ASSERT_EQ(model.ranks.size(), 2U);
    EXPECT_EQ(model.operations.size(), 8U);
    for (const model::Operation& operation : model.operations) {
        ASSERT_TRUE(operation.measured());
        const auto arrivals = model::arrivals(operation, model.ranks);
        ASSERT_TRUE(arrivals);
        EXPECT_EQ(arrivals->lastRank, 1U);
        EXPECT_EQ(arrivals->lastArrivalNs - arrivals->firstArrivalNs, 500'000);
        EXPECT_EQ(arrivals->transferNs(), 400'000);
    }
    EXPECT_EQ(model.hosts.size(), 2U); // nobody said that they share one
    EXPECT_EQ(model.hosts[1].offsetNs, 1'000'000'000);
    EXPECT_EQ(model.ranks[0].steps.size(), 8U);
}

/// Ranks of a job of four that call an all-reduce; the trace says no group. Rank 1's second is a broadcast.
void writeGroupless(const std::function<void(const std::string&, const std::string&)>& write)
{
    constexpr const char* kBroadcast = "ncclDevKernel_Broadcast_RING_LL(ncclDevKernelArgsStorage<4096ul>)";
    for (int rank = 0; rank < 2; ++rank) {
        Events events;
        for (int i = 0; i < 4; ++i) {
            events.kernel(rank == 1 && i == 1 ? kBroadcast : kAllReduce, 10 + i, 1000 * i + 10, 1000 * i + 20,
                          300, 40);
        }
        write(
            fmt::format("rank_{}.json", rank),
            fileText(events, "\"schemaVersion\": 1,",
                     fmt::format(R"(, "distributedInfo": {{"backend": "nccl", "rank": {}, "world_size": 4}})",
                                 rank)));
    }
}

TEST_F(KinetoFile, WithoutGroupsSizesAreUnknownAndNoMismatchIsReported)
{
    writeGroupless([this](const std::string& name, const std::string& text) { write(name, text); });
    const report::Report report = report::buildReport(open(folder()), {});
    for (const trace::IssueRow& issue : report.model.issues) {
        EXPECT_NE(issue.id, "collective_mismatch") << issue.message;
    }
    ASSERT_NE(issueOf(report.model, "collectives_unmatched"), nullptr);
    EXPECT_EQ(issueOf(report.model, "collectives_unmatched")->count, 1);
    const std::string json = textOf(report, "json");
    EXPECT_NE(json.find("\"size\": null"), std::string::npos);
    EXPECT_EQ(json.find("\"size\": 0"), std::string::npos);
    EXPECT_NE(json.find("\"ranks\": null"), std::string::npos);
    EXPECT_EQ(json.find("\"ranks\": 0,"), std::string::npos);
    EXPECT_NE(textOf(report, "text").find("by rank of 2 of 4 ranks"), std::string::npos);
}

TEST_F(KinetoFile, ItsWindowIsNotTheEndOfTheJob)
{
    writeGroupless([this](const std::string& name, const std::string& text) { write(name, text); });
    const hang::Report hang = hang::analyze(open(folder()), std::vector<hang::ProcessNow>(2), {});
    EXPECT_EQ(words::said(hang.summary).find("ended normally"), std::string::npos)
        << words::said(hang.summary);
    EXPECT_NE(words::said(hang.summary).find("windows of a profiler"), std::string::npos)
        << words::said(hang.summary);
    for (const hang::RankReport& rank : hang.ranks) {
        EXPECT_EQ(rank.life, hang::Life::NotKnown);
    }
}

TEST_F(KinetoFile, WhatWasNotReadStandsOnTop)
{
    Events events;
    for (int i = 0; i < 40; ++i) {
        events.kernel(kKernel, i + 1, 100 * i, 100 * i + 20, 30);
    }
    const auto rank = [](int number) {
        return fmt::format(R"("distributedInfo": {{"rank": {}, "world_size": 4}},)", number);
    };
    write("rank0.json", fileText(events, rank(0)));
    write("rank1.json", "");
    const std::string whole = fileText(events, rank(2));
    write("rank2.json", whole.substr(0, whole.size() / 2));
    const gzFile packed = gzopen((folder() / "rank3.json.gz").c_str(), "wb");
    gzwrite(packed, whole.data(), static_cast<unsigned>(whole.size()));
    gzclose(packed);
    std::filesystem::resize_file(folder() / "rank3.json.gz", 12);
    const std::string text = textOf(report::buildReport(open(folder()), {}), "text");
    const std::string top = text.substr(0, text.find("Key figures"));
    for (const char* name : {"rank1.json", "rank2.json", "rank3.json.gz"}) {
        EXPECT_NE(top.find(name), std::string::npos) << name << "\n" << top;
    }
}

TEST_F(KinetoFile, GzipGivesTheSame)
{
    Events events;
    for (int i = 0; i < 500; ++i) {
        events.kernel(kKernel, i + 1, 100 * i, 100 * i + 20, 30);
    }
    const std::string text = fileText(events);
    const gzFile file = gzopen((folder() / "rank0.json.gz").c_str(), "wb");
    gzwrite(file, text.data(), static_cast<unsigned>(text.size()));
    gzclose(file);
    const auto packed = open(folder() / "rank0.json.gz").processes.front();
    const auto plain = import(text);
    EXPECT_EQ(packed.kernels.startNs, plain.kernels.startNs);
    EXPECT_EQ(packed.kernels.correlation, plain.kernels.correlation);
    std::filesystem::resize_file(folder() / "rank0.json.gz",
                                 std::filesystem::file_size(folder() / "rank0.json.gz") / 2);
    const auto cut = open(folder() / "rank0.json.gz").processes.front();
    EXPECT_GT(cut.kernels.size(), 0U);
    ASSERT_NE(issueOf(cut, "truncated_file"), nullptr);
    EXPECT_NE(issueOf(cut, "truncated_file")->message.find("gzip"), std::string::npos);
}

/// Objects in arguments look like events to a thread that begins in the middle of a file.
std::string trickyFile(int events)
{
    std::string text = "{\"traceEvents\":[";
    for (int i = 0; i < events; ++i) {
        text += fmt::format(
            R"({}{{"ph":"X","cat":"kernel","name":"k{}","pid":0,"tid":7,"ts":{},"dur":1,"args":{{"nested":[{{"ph":"X"}},{{"ph":"X","cat":"kernel","ts":1,"dur":1}},{{"ph":"X"}}],"text":"}},{{\"ph\":","device":0,"stream":7,"correlation":{}}}}})",
            i == 0 ? "" : ",", i % 10, 10 * i, i + 1);
    }
    return text + R"(],"distributedInfo":{"rank":3,"pg_config":[{"pg_name":"0"},{"pg_name":"1"}]}})";
}

TEST_F(KinetoFile, SeveralThreadsSeeWhatOneSees)
{
    const auto path = write("large.json", trickyFile(200'000)); // over several stretches
    ASSERT_GT(std::filesystem::file_size(path), 30U << 20U);
    Progress progress;
    const auto scan = [&](unsigned threads) { return kineto().import({path, threads, progress}).front(); };
    const auto one = scan(1);
    const auto four = scan(4);
    EXPECT_EQ(one.kernels.size(), 200'000U);
    EXPECT_EQ(four.kernels.startNs, one.kernels.startNs);
    EXPECT_EQ(four.kernels.correlation, one.kernels.correlation);
    ASSERT_EQ(four.ranks.size(), 1U);
    EXPECT_EQ(four.ranks[0].rank, 3);
    EXPECT_EQ(four.issues.size(), one.issues.size());
    for (std::size_t i = 0; i < one.kernels.size(); i += 9973) {
        EXPECT_EQ(four.text(four.kernels.name[i]), one.text(one.kernels.name[i]));
    }
}

TEST_F(KinetoFile, OtherFilesAreLeftToOthers)
{
    for (const char* const text :
         {"", "{}", "[]", "{\"entries\": []}", "SQLite format 3", "not json", "[1, 2]"}) {
        EXPECT_FALSE(kineto().recognises(text, "x.json")) << text;
    }
    EXPECT_TRUE(kineto().recognises("\xEF\xBB\xBF{ \"traceEvents\": [", "x"));
    EXPECT_THROW(import(R"({"schemaVersion": 1, "traceEvents")"), Error);
    EXPECT_THROW(import(R"({"traceEvents" 1})"), Error);
}

TEST_F(KinetoFile, EventsThatAreNoArrayAreSaidToBe)
{
    for (const char* const events : {R"({"a": 1})", R"("none")", "null", "7"}) {
        try {
            import(fmt::format(R"({{"schemaVersion": 1, "traceEvents": {}}})", events));
            ADD_FAILURE() << events;
        } catch (const Error& error) {
            EXPECT_NE(std::string(error.what()).find("is no array"), std::string::npos) << error.what();
        }
    }
}

TEST_F(KinetoFile, AnEmptyTraceIsARankWithoutEvents)
{
    const auto process = import(R"({"traceEvents": []})");
    EXPECT_EQ(process.kernels.size(), 0U);
    EXPECT_EQ(process.ranks.size(), 1U);
}

} // namespace
} // namespace ringside::importers
