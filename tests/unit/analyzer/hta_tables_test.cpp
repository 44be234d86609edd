// SPDX-License-Identifier: Apache-2.0
// The tables of `--format hta-csv` on traces made here; every expected value was worked out by hand from
// HTA's definitions. hta_csv_test.py compares with what HTA itself wrote, where that is at hand.
#include "import/open_run.h"
#include "report/format.h"
#include "report/hta/frame.h"
#include "report/hta/numpy_order.h"
#include "support/temporary_directory.h"

#include <ringside/error.h>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>

namespace ringside::report::hta {
namespace {

class HtaTables : public testing::Test {
protected:
    void event(const std::string& category, const std::string& name, const std::string& ts,
               const std::string& dur, const std::string& args = "")
    {
        m_events += fmt::format(
            R"({}{{"ph": "X", "cat": "{}", "name": "{}", "pid": 1, "tid": 1, "ts": {}, "dur": {}, "args": {{{}}}}})",
            m_events.empty() ? "" : ",\n", category, name, ts, dur, args);
    }
    void call(const std::string& name, const std::string& ts, const std::string& dur, int correlation)
    {
        event("cuda_runtime", name, ts, dur, fmt::format(R"("correlation": {})", correlation));
    }
    void work(const std::string& category, const std::string& name, const std::string& ts,
              const std::string& dur, int stream, int correlation)
    {
        event(category, name, ts, dur,
              fmt::format(R"("device": 0, "stream": {}, "correlation": {})", stream, correlation));
    }

    void write()
    {
        const std::filesystem::path path = m_folder / "rank0.json";
        std::ofstream(path) << "{\"distributedInfo\": {\"rank\": 0, \"world_size\": 1}, \"traceEvents\": [\n"
                            << m_events << "\n]}";
        importers::Progress progress;
        const Report report = buildReport(importers::openRun({path}, progress), {});
        formatNamed("hta-csv").writeFolder(report, m_folder / "tables");
    }
    /// What stands below the line of names.
    std::string rows(const std::string& name)
    {
        std::ifstream file(m_folder / "tables" / (name + ".csv"));
        std::string line;
        std::getline(file, line);
        return {std::istreambuf_iterator<char>(file), {}};
    }

    /// Device: gemm [120,150) [155,200) [300,320) on stream 7, all-reduce [190,250) on 13, copy [330,340).
    void writeTwoStreams()
    {
        event("cpu_op", "aten::mm", "260", "20"); // event #0
        call("cudaLaunchKernel", "100", "10", 1);
        work("kernel", "gemm", "120", "30", 7, 1);
        call("cudaLaunchKernel", "115", "5", 2);
        work("kernel", "gemm", "155", "45", 7, 2);
        call("cudaLaunchKernel", "130", "60", 3);
        work("kernel", "ncclDevKernel_AllReduce", "190", "60", 13, 3);
        work("kernel", "gemm", "300", "20", 7, 9); // without its launch
        call("cudaMemcpyAsync", "310", "4", 4);
        work("gpu_memcpy", "Memcpy HtoD", "330", "10", 7, 4);
        write();
    }

    test::TemporaryDirectory m_folder;
    std::string m_events;
};

TEST_F(HtaTables, TimeIsIdleComputingOrNeither)
{
    writeTwoStreams(); // busy [120,150) [155,250) [300,320) [330,340): 155 of 220, computing 95
    EXPECT_EQ(rows("temporal_breakdown"), "0,0,65.0,95.0,60.0,220.0,29.55,43.18,27.27\n");
    EXPECT_EQ(rows("comm_comp_overlap"), "0,0,16.67\n"); // [190,200) of [190,250)
}

TEST_F(HtaTables, TypesRunAloneOrTogether)
{
    writeTwoStreams();
    EXPECT_EQ(rows("kernel_type_breakdown_mem0"), "0,COMPUTATION,85,58.6\n"
                                                  "1,COMMUNICATION,50,34.5\n"
                                                  "2,COMPUTATION overlapping COMMUNICATION,10,6.9\n");
    EXPECT_EQ(rows("kernel_type_breakdown_mem1"), "0,COMPUTATION,85,54.8\n"
                                                  "1,COMMUNICATION,50,32.3\n"
                                                  "2,COMPUTATION overlapping COMMUNICATION,10,6.5\n"
                                                  "3,MEMORY,10,6.5\n");
    EXPECT_EQ(rows("kernel_breakdown_all"), // gemm: 30, 45, 20
              "0,ncclDevKernel_AllReduce,60.0,60.0,60.0,0.0,60.0,COMMUNICATION,0\n"
              "1,gemm,95.0,45.0,20.0,12.583057392117917,31.666666666666668,COMPUTATION,0\n"
              "2,Memcpy HtoD,10.0,10.0,10.0,0.0,10.0,MEMORY,0\n");
}

TEST_F(HtaTables, AKernelWithoutLaunchWaitedForEventZero)
{
    writeTwoStreams(); // gaps of stream 7: 5, 100 (event #0 began at 260, behind 200), 10
    EXPECT_EQ(rows("idle_time_breakdown"), "0,0,7,host_wait,100.0,0.87\n"
                                           "1,0,7,kernel_wait,15.0,0.13\n"
                                           "2,0,7,other,0.0,0.0\n"
                                           "3,0,13,other,0.0,\n");
    EXPECT_EQ(rows("idle_interval_stats"), "host_wait,0,7,1.0,100.0,,100.0,100.0,100.0,100.0,100.0\n"
                                           "kernel_wait,0,7,2.0,7.5,3.54,5.0,6.25,7.5,8.75,10.0\n"
                                           "other,0,7,0.0,,,,,,,\n"
                                           "other,0,13,0.0,,,,,,,\n");
}

TEST_F(HtaTables, QueuesGrowAtLaunchesAndShrinkAtStarts)
{
    writeTwoStreams(); // times count from the first event, at 100
    EXPECT_EQ(rows("queue_length_series"), "0,7,0.0,1\n0,7,15.0,2\n0,7,20.0,1\n0,7,55.0,0\n0,7,210.0,1\n"
                                           "0,7,230.0,0\n0,13,30.0,1\n0,13,90.0,0\n");
    EXPECT_EQ(rows("queue_length_summary"),
              "0,7,6.0,0.8333333333333334,0.752772652709081,0.0,0.25,1.0,1.0,2.0\n"
              "0,13,2.0,0.5,0.7071067811865476,0.0,0.25,0.5,0.75,1.0\n");
    EXPECT_EQ(rows("blocked_on_full_queue_32"), "");
}

TEST_F(HtaTables, AFullQueueOfTheLastStreamBlocks)
{
    for (int i = 0; i < 33; ++i) { // the 32nd launch at 131; the first kernel at 200 begins behind the 33rd
        call("cudaLaunchKernel", std::to_string(100 + i), "1", i + 1);
    }
    for (int i = 0; i < 33; ++i) {
        work("kernel", "gemm", std::to_string(200 + 10 * i), "10", 7, i + 1);
    }
    write(); // 32 or more in [131, 210); events begin from 100 to 520
    EXPECT_EQ(rows("blocked_on_full_queue_32"), "0,0,7,79.0,0.1880952380952381\n");
    EXPECT_EQ(rows("blocked_on_full_queue_1024"), "");
}

TEST_F(HtaTables, LaunchesStandBesideTheirKernels)
{
    writeTwoStreams();
    EXPECT_EQ(rows("cuda_kernel_launch_stats_r0"), "0,1,10.0,30.0,10.0\n1,2,5.0,45.0,35.0\n"
                                                   "2,3,60.0,60.0,0.0\n3,4,4.0,10.0,16.0\n");
    EXPECT_EQ(rows("cuda_kernel_launch_stats_summary"), "0,0,4,79.0,60.0,145.0,60.0,61.0,35.0,0,1,0\n");
}

/// Of several steps the last is left out; fractions are cut inwards, so that a short kernel lasts -1 us.
TEST_F(HtaTables, FractionsAreCutAndTheLastStepIsDropped)
{
    event("user_annotation", "ProfilerStep#1", "1000.0", "100.0");
    call("cudaLaunchKernel", "1010.5", "2.25", 1);
    work("kernel", "gemm", "1020.2", "9.9", 7, 1); // [1021, 1030)
    call("cudaLaunchKernel", "1012.0", "2.0", 3);
    work("kernel", "gemm", "1040.2", "0.5", 7, 3); // [1041, 1040)
    event("user_annotation", "ProfilerStep#2", "1100.0", "100.0");
    call("cudaLaunchKernel", "1110.0", "3.0", 2);
    work("kernel", "gemm", "1120.5", "10.0", 7, 2);
    write();
    EXPECT_EQ(rows("temporal_breakdown"), "0,0,11.0,8.0,0.0,19.0,57.89,42.11,0.0\n");
    EXPECT_EQ(rows("comm_comp_overlap"), "0,0,\n"); // nothing to overlap is no share
    EXPECT_EQ(rows("cuda_kernel_launch_stats_r0"), "0,1,1.0,9.0,9.0\n1,3,2.0,-1.0,27.0\n");
}

/// HTA's joins have as many rows as calls times kernels of a correlation.
TEST_F(HtaTables, EndlessJoinsAreRefused)
{
    for (int i = 0; i < 1200; ++i) {
        call("cudaLaunchKernel", "100", "1", 1);
        work("kernel", "gemm", "200", "1", 7, 1);
    }
    EXPECT_THROW(write(), Error);
}

TEST(HtaKernelType, IsTheNames)
{
    using enum KernelType;
    struct Case {
        std::string_view name;
        KernelType type;
    };
    for (const auto& [name, type] : {Case{"ncclDevKernel_AllReduce", Communication},
                                     {"void ncclKernel_x", Communication},
                                     {"hipMemcpyAsync", Communication},
                                     {"Memcpy HtoD (Pageable -> Device)", Memory},
                                     {"Memset (Device)", Memory},
                                     {"gemm", Computation},
                                     {"myMemcpyKernel", Other},
                                     {"Event Sync", Other},
                                     {"Stream Wait Event", Other},
                                     {"cudaGraph LaunchKernel", Other}}) {
        EXPECT_EQ(kernelTypeOf(name), type) << name;
    }
}

/// 16 values are sorted by insertion, so equal ones keep their order. Of 17 equal ones the middle, parked at
/// the last but one place, is the pivot; the pass from both ends swaps all others, and 7 and 8 change places.
TEST(NumpyOrder, EqualValuesKeepTheirOrderWhereTheyAreFew)
{
    const std::array<double, 16> few{};
    const std::array<double, 17> many{};
    std::vector<std::size_t> inOrder(few.size());
    std::ranges::generate(inOrder, [i = std::size_t{0}]() mutable { return i++; });
    EXPECT_EQ(numpyOrder(few), inOrder);
    EXPECT_EQ(numpyOrder(many),
              (std::vector<std::size_t>{0, 14, 13, 12, 11, 10, 9, 15, 8, 6, 5, 4, 3, 2, 1, 7, 16}));
}

/// Rising and falling pieces defeat the choice of pivots, so that the heap is used too.
TEST(NumpyOrder, IsAscending)
{
    std::vector<double> values;
    for (int i = 0; i < 4000; ++i) {
        values.push_back(i % 2000);
    }
    std::vector<std::size_t> order = numpyOrder(values);
    EXPECT_TRUE(std::ranges::is_sorted(order, {}, [&](std::size_t i) { return values[i]; }));
    std::ranges::sort(order);
    EXPECT_EQ(std::ranges::adjacent_find(order), order.end());
}

} // namespace
} // namespace ringside::report::hta
