// SPDX-License-Identifier: Apache-2.0
// What the PyTorch profiler writes only if asked to: its allocator (profile_memory) and Python functions
// (with_stack).
#include "import/importer.h"
#include "issue_of.h"
#include "support/temporary_directory.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <tuple>

namespace ringside::importers {
namespace {

/// A trace of these events, in the words of the file.
trace::ProcessTrace import(const std::vector<std::string>& events, unsigned threads = 1)
{
    const test::TemporaryDirectory folder;
    const std::filesystem::path path = folder / "trace.json";
    std::ofstream(path) << fmt::format(R"({{"schemaVersion": 1, "traceEvents": [{}]}})",
                                       fmt::join(events, ",\n"));
    const Importer& kineto = **std::ranges::find(all(), std::string_view("kineto"), &Importer::id);
    Progress progress;
    return std::move(kineto.import({path, threads, progress}).front());
}

std::string memory(const std::string& us, const std::string& arguments, int tid = 77)
{
    return fmt::format(
        R"({{"ph": "i", "cat": "cpu_instant_event", "s": "t", "name": "[memory]", "pid": 42, "tid": {}, )"
        R"("ts": {}, "args": {{{}}}}})",
        tid, us, arguments);
}

std::string onGpu(int device, const std::string& allocated, const std::string& reserved)
{
    return fmt::format(R"("Total Reserved": {}, "Total Allocated": {}, "Bytes": 512, "Addr": 139926, )"
                       R"("Device Id": {}, "Device Type": 1, "Ev Idx": 7)",
                       reserved, allocated, device);
}

std::string function(const std::string& name, const std::string& us, const std::string& duration,
                     int tid = 77)
{
    return fmt::format(
        R"({{"ph": "X", "cat": "python_function", "name": "{}", "pid": 42, "tid": {}, "ts": {}, "dur": {}, )"
        R"("args": {{"Python id": 3, "Python parent id": null, "Ev Idx": 2}}}})",
        name, tid, us, duration);
}

using Sampled =
    std::tuple<std::string, std::string, std::int64_t, std::int64_t>; ///< entity, metric, time, value

std::vector<Sampled> samplesOf(const trace::ProcessTrace& process)
{
    std::vector<Sampled> result;
    for (std::size_t i = 0; i < process.samples.size(); ++i) {
        const auto row =
            std::ranges::find(process.series, std::int64_t{process.samples.series[i]}, &trace::SeriesRow::id);
        EXPECT_EQ(row->source.text(), "allocator");
        EXPECT_EQ(row->kind.text(), "changes");
        result.emplace_back(row->entity, row->metric.text(), process.samples.timeNs[i],
                            process.samples.value[i]);
    }
    std::ranges::sort(result);
    return result;
}

TEST(KinetoMemory, BecomesSeriesOfTheAllocatorOfEachGpu)
{
    const auto process =
        import({memory("10", onGpu(0, "100", "1000")), memory("30.5", onGpu(0, "50", "1000")),
                memory("20", onGpu(0, "300", "1000"), 78), memory("15", onGpu(1, "7", "9"))});
    EXPECT_EQ(samplesOf(process), (std::vector<Sampled>{{"gpu0", "allocated_bytes", 0, 100},
                                                        {"gpu0", "allocated_bytes", 10'000, 300},
                                                        {"gpu0", "allocated_bytes", 20'500, 50},
                                                        {"gpu0", "reserved_bytes", 0, 1000},
                                                        {"gpu0", "reserved_bytes", 10'000, 1000},
                                                        {"gpu0", "reserved_bytes", 20'500, 1000},
                                                        {"gpu1", "allocated_bytes", 5'000, 7},
                                                        {"gpu1", "reserved_bytes", 5'000, 9}}));
    EXPECT_EQ(process.process.endNs, 20'500);
    for (std::size_t i = 1; i < process.samples.size(); ++i) { // by time within a series, whichever thread
        EXPECT_TRUE(process.samples.series[i] != process.samples.series[i - 1] ||
                    process.samples.timeNs[i] >= process.samples.timeNs[i - 1]);
    }
}

TEST(KinetoMemory, OfTheHostAndWithoutTotalsIsCounted)
{
    const auto process =
        import({memory("1", R"("Device Type": 0, "Device Id": -1, "Bytes": 4, "Total Allocated": 4)"),
                memory("2", R"("Device Type": 1, "Device Id": 0, "Bytes": 4)"), // old PyTorch
                memory("3", onGpu(0, "-1", "-1")),                              // the allocator did not tell
                R"({"ph": "i", "name": "Iteration Start", "ts": 1, "pid": "Traces", "tid": "Trace"})"});
    EXPECT_TRUE(process.series.empty());
    ASSERT_NE(issueOf(process, "events_left_out"), nullptr);
    EXPECT_EQ(issueOf(process, "events_left_out")->count, 4);
    EXPECT_NE(issueOf(process, "events_left_out")->message.find("allocations of host memory"),
              std::string::npos);
}

TEST(KinetoMemory, OfImpossibleSizesDevicesOrTimesIsNotBelieved)
{
    const auto process =
        import({memory("1", onGpu(0, "5", "99999999999999999999")),
                memory("2", onGpu(0, "1e9", "9223372036854775807")), memory("3", onGpu(4'000'000, "1", "1")),
                memory("-4", onGpu(0, "1", "1")), memory("99999999999999999999", onGpu(0, "1", "1")),
                memory("5", onGpu(0, "\"x\"", "{}"))});
    EXPECT_EQ(samplesOf(process), (std::vector<Sampled>{{"gpu0", "allocated_bytes", 0, 5}}));
    EXPECT_EQ(issueOf(process, "implausible_time")->count, 2);
    EXPECT_EQ(issueOf(process, "incomplete_event")->count, 1);
}

TEST(KinetoPython, FunctionsBecomeCallsOfTheirThread)
{
    const auto process =
        import({function("train.py(42): step", "10", "90"), function("nn.Module: Linear_0", "20", "30"),
                function("train.py(42): step", "5", "1", 78),
                R"({"ph": "X", "cat": "python_function", "name": "lost", "ts": 1, "dur": 1})"});
    ASSERT_EQ(process.pythonCalls.size(), 3U);
    ASSERT_EQ(process.threads.size(), 2U);
    const auto& calls = process.pythonCalls;
    std::vector<std::tuple<std::int64_t, std::int64_t, std::string, std::int64_t>> found;
    for (std::size_t i = 0; i < calls.size(); ++i) {
        const auto thread =
            std::ranges::find(process.threads, std::int64_t{calls.thread[i]}, &trace::ThreadRow::id);
        found.emplace_back(thread->tid, calls.startNs[i], std::string(process.text(calls.name[i])),
                           calls.endNs[i]);
    }
    std::ranges::sort(found);
    EXPECT_EQ(std::get<2>(found[0]), "train.py(42): step");
    EXPECT_EQ(std::get<2>(found[1]), "nn.Module: Linear_0");
    EXPECT_EQ(std::get<1>(found[1]) - std::get<1>(found[0]), 10'000);
    EXPECT_EQ(std::get<0>(found[2]), 78);
    EXPECT_EQ(process.process.endNs, 95'000);
    EXPECT_TRUE(process.ranges.empty());
    EXPECT_EQ(issueOf(process, "incomplete_event")->count, 1);
    EXPECT_EQ(issueOf(process, "events_left_out"), nullptr);
}

TEST(KinetoPython, AndMemoryAreTheSameForSeveralThreadsOfTheImporter)
{
    std::vector<std::string> events;
    for (int i = 0; i < 100'000; ++i) { // over several stretches of the file
        events.push_back(function(fmt::format("f{}", i % 100), std::to_string(10 * i), "5"));
        events.push_back(memory(std::to_string(10 * i), onGpu(0, std::to_string(i), "7")));
    }
    const auto one = import(events, 1);
    const auto four = import(events, 4);
    ASSERT_EQ(one.pythonCalls.size(), 100'000U);
    EXPECT_EQ(four.pythonCalls.startNs, one.pythonCalls.startNs);
    EXPECT_EQ(four.pythonCalls.name, one.pythonCalls.name);
    EXPECT_EQ(four.samples.timeNs, one.samples.timeNs);
    EXPECT_EQ(four.samples.value, one.samples.value);
}

} // namespace
} // namespace ringside::importers
