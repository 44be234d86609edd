// SPDX-License-Identifier: Apache-2.0
// What is said of a job that is not recorded, from stacks of its processes and readings of its GPUs.
#include "attach/dcgm_text.h"
#include "attach/gpu.h"
#include "attach/stuck.h"

#include <gtest/gtest.h>

namespace ringside::attach {
namespace attach_test {

using trace::StackRow;

constexpr std::int64_t kMain = 100;

std::vector<StackRow> rowsOf(const trace::StackSource& source, const std::vector<std::string>& lines,
                             std::int64_t tid = kMain)
{
    std::vector<StackRow> rows;
    for (const std::string& line : lines) {
        StackRow row;
        row.source = source;
        row.tid = tid;
        row.frame = static_cast<std::int64_t>(rows.size());
        row.text = line;
        rows.push_back(std::move(row));
    }
    return rows;
}

Standing standing(const std::string& place, bool stood = true, const std::string& call = "")
{
    Standing result;
    result.place = place;
    result.stood = stood;
    result.moved = !stood && !place.empty();
    result.ncclCall = call;
    result.stack = {place};
    return result;
}

/// A report on ranks that stand there.
StuckReport reportOf(const std::vector<Standing>& standings)
{
    StuckReport report;
    report.host = "node1";
    for (const Standing& each : standings) {
        const auto rank = static_cast<std::int64_t>(report.processes.size());
        report.processes.push_back({{static_cast<pid_t>(4000 + rank), rank, "python3 train.py", 'S'}, each});
    }
    judge(report);
    return report;
}

TEST(Attach, ThePlaceIsTheInnermostPythonLine)
{
    auto rows = rowsOf("native", {"__poll+0x4f (libc.so.6)", "_PyEval_EvalFrameDefault+0x5 (python3.11)"});
    const auto python = rowsOf("python", {"wait_for_batch (data.py:42)", "train (train.py:7)"});
    rows.insert(rows.end(), python.begin(), python.end());
    const Standing found = standingOf({rows, rows}, kMain);
    EXPECT_EQ(found.place, "wait_for_batch (data.py:42)");
    EXPECT_TRUE(found.stood);
    EXPECT_EQ(found.stack.size(), 2);
}

TEST(Attach, WithoutPythonThePlaceIsOutsideOfTheCLibraryAndWithoutOffset)
{
    const auto first = rowsOf("native", {"0x7f00 (libc.so.6)", "pthread_cond_wait+0x1 (libc.so.6)",
                                         "cudaStreamSynchronize+0x1c (libcudart.so.12)", "main+0x2 (train)"});
    const auto second =
        rowsOf("native", {"sched_yield+0x7 (libc.so.6)", "cudaStreamSynchronize+0x40 (libcudart.so.12)",
                          "main+0x2 (train)"});
    const Standing found = standingOf({first, second}, kMain);
    EXPECT_EQ(found.place, "cudaStreamSynchronize (libcudart.so.12)");
    EXPECT_TRUE(found.stood);
    EXPECT_FALSE(standingOf({first, rowsOf("native", {"main+0x9 (train)"})}, kMain).stood);
}

TEST(Attach, AStackThatWasNotReadStandsNowhere)
{
    const Standing found = standingOf({rowsOf("note", {"native stacks: not permitted"})}, kMain);
    EXPECT_TRUE(found.place.empty());
    EXPECT_FALSE(found.stood);
    ASSERT_EQ(found.notes.size(), 1);
    EXPECT_FALSE(standingOf({}, kMain).stood);
}

TEST(Attach, ThreadsOfNcclsProxyAreNotInACall)
{
    auto rows = rowsOf("native", {"__poll+0x4f (libc.so.6)", "ncclProxyProgress+0x5 (libnccl.so.2)"}, 101);
    EXPECT_TRUE(standingOf({rows}, kMain).ncclCall.empty());
    const auto call = rowsOf("native", {"__poll+0x4f (libc.so.6)", "ncclGroupEndInternal+0x5 (libnccl.so.2)",
                                        "ncclAllReduce+0x9 (libnccl.so.2)", "main+0x1 (train)"});
    rows.insert(rows.end(), call.begin(), call.end());
    EXPECT_EQ(standingOf({rows}, kMain).ncclCall, "ncclAllReduce");
}

TEST(Attach, TheRankThatStandsElsewhereIsNamed)
{
    const Standing waits = standing("synchronize (train.py:9)");
    const StuckReport report = reportOf({waits, waits, standing("wait_for_batch (data.py:42)"), waits});
    EXPECT_EQ(report.lookFirst, std::vector<std::size_t>{2});
    EXPECT_TRUE(isStuck(report));
    EXPECT_EQ(report.summary, "3 of 4 processes stand in synchronize (train.py:9), but rank 2 stands in "
                              "wait_for_batch (data.py:42). Look there first: the others may wait for it.");
}

TEST(Attach, OfTwoRanksTheOneOutsideOfNcclIsNamed)
{
    const StuckReport report =
        reportOf({standing("all_reduce (c10d.py:1)", true, "ncclAllReduce"), standing("sleep (train.py:3)")});
    EXPECT_EQ(report.lookFirst, std::vector<std::size_t>{1});
    EXPECT_EQ(report.summary,
              "rank 0 stands in ncclAllReduce, and rank 1 is not in a call of NCCL: rank 1 stands in "
              "sleep (train.py:3). Look there first.");
}

TEST(Attach, EqualStacksAccuseNobody)
{
    const StuckReport report = reportOf({standing("item (train.py:3)"), standing("item (train.py:3)")});
    EXPECT_TRUE(report.lookFirst.empty());
    EXPECT_NE(report.summary.find("do not say which of them"), std::string::npos) << report.summary;
}

TEST(Attach, ProcessesThatMoveAreNoHang)
{
    const StuckReport report =
        reportOf({standing("a (t.py:1)", false), standing("b (t.py:2)", false), standing("c (t.py:3)")});
    EXPECT_FALSE(isStuck(report));
    EXPECT_TRUE(report.lookFirst.empty());
    EXPECT_EQ(report.summary,
              "No sign of a hang: 2 of 3 processes moved between the samples; rank 2 stands in c (t.py:3).");
}

TEST(Attach, UnreadableStacksAreNotCalledAHang)
{
    const StuckReport report = reportOf({standing("", false), standing("", false)});
    EXPECT_FALSE(isStuck(report));
    EXPECT_EQ(report.summary,
              "No stack could be read, so that nothing is known of where the processes stand.");
}

TEST(Attach, AStackThatWasNotReadIsNeitherMovingNorElsewhere)
{
    const Standing waits = standing("synchronize (train.py:9)");
    const StuckReport few = reportOf({waits, standing("", false), standing("", false), standing("", false)});
    EXPECT_TRUE(isStuck(few));
    EXPECT_EQ(few.summary.find("No sign of a hang"), std::string::npos) << few.summary;
    EXPECT_NE(few.summary.find("The stacks of ranks 1 to 3 could not be read."), std::string::npos)
        << few.summary;
    const StuckReport most = reportOf({waits, waits, waits, standing("", false)});
    EXPECT_TRUE(most.lookFirst.empty()) << most.summary;
    EXPECT_NE(most.summary.find("The stacks of rank 3 could not be read."), std::string::npos)
        << most.summary;
}

TEST(Attach, ASampleWithoutAStackIsNoMove)
{
    const auto rows = rowsOf("python", {"train (train.py:7)"});
    const auto none = rowsOf("note", {"native stacks: took too long"});
    const Standing found = standingOf({rows, none, rows}, kMain);
    EXPECT_EQ(found.place, "train (train.py:7)");
    EXPECT_TRUE(found.stood);
    EXPECT_FALSE(found.moved);
    EXPECT_FALSE(standingOf({none, none, rows}, kMain).stood) << "one sample shows no standing";
    EXPECT_TRUE(standingOf({rows, none, rowsOf("python", {"load (data.py:1)"})}, kMain).moved);
}

TEST(Attach, AStoppedProcessIsNamedWhereverItStands)
{
    StuckReport report = reportOf({standing("a (t.py:1)"), standing("a (t.py:1)")});
    report.processes[1].process.state = 'T';
    judge(report);
    EXPECT_EQ(report.lookFirst, std::vector<std::size_t>{1});
    EXPECT_EQ(report.summary,
              "rank 1 is stopped by a signal or a debugger. Nothing of it runs until `kill -CONT 4001`.");
    report.processes[0].process.state = 'T';
    judge(report);
    EXPECT_EQ(report.summary,
              "ranks 0 and 1 are stopped by a signal or a debugger. Nothing of them runs until "
              "`kill -CONT 4000 4001`.");
}

TEST(Attach, TheTextShowsEachPlaceOnce)
{
    const Standing waits = standing("synchronize (train.py:9)");
    const std::string text =
        formatText(reportOf({waits, waits, standing("wait_for_batch (data.py:42)"), waits}));
    EXPECT_LT(text.find("Stack of rank 2 "), text.find("Stack of rank 0 ")) << text;
    EXPECT_EQ(text.find("Stack of rank 1 "), std::string::npos) << text;
}

TEST(Attach, GpusComeBackAsTheyWereWritten)
{
    Gpus gpus;
    gpus.gpus.resize(1);
    Gpu& gpu = gpus.gpus.front();
    gpu.index = 3;
    gpu.name = "NVIDIA H100";
    gpu.utilizationPercent = 100;
    gpu.clockReasons = 0x40;
    gpu.processes = {{4711, std::int64_t{1} << 33}, {4712, std::nullopt}};
    gpus.gpus.emplace_back().error = "GPU is lost";
    const Gpus read = parseGpus(formatGpus(gpus));
    ASSERT_EQ(read.gpus.size(), 2);
    EXPECT_EQ(read.gpus[0].utilizationPercent, 100);
    EXPECT_EQ(read.gpus[0].powerMilliwatts, std::nullopt);
    EXPECT_EQ(read.gpus[0].processes->at(0).memoryBytes, std::int64_t{1} << 33);
    EXPECT_EQ(read.gpus[0].processes->at(1).memoryBytes, std::nullopt);
    EXPECT_EQ(wrongWith(read.gpus[0]), "clocks held down by heat");
    EXPECT_FALSE(read.gpus[1].processes.has_value());
    EXPECT_EQ(wrongWith(read.gpus[1]), "GPU is lost");
    EXPECT_EQ(formatGpus(read), formatGpus(gpus));
}

TEST(Attach, AnAnswerThatIsCutOffIsAReason)
{
    for (const char* const text : {"", "{", "[]", R"({"list": [{"index": "x"}], "reason": null})"}) {
        const Gpus gpus = parseGpus(text);
        EXPECT_TRUE(gpus.gpus.empty()) << text;
        EXPECT_FALSE(gpus.reason.empty()) << text;
    }
}

TEST(Attach, ThePowerCapOfAFullLoadIsNothingWrong)
{
    Gpu gpu;
    gpu.clockReasons = 0x4;
    EXPECT_EQ(wrongWith(gpu), "");
    gpu.clockReasons = 0x80;
    EXPECT_EQ(wrongWith(gpu), "clocks held down by the power supply");
}

// Names, labels and their order are those of dcgm-exporter; the figures are made up.
constexpr const char* kDcgm =
    R"(# HELP DCGM_FI_PROF_SM_ACTIVE The ratio of cycles an SM has at least 1 warp assigned.
# TYPE DCGM_FI_PROF_SM_ACTIVE gauge
DCGM_FI_PROF_SM_ACTIVE{gpu="0",UUID="GPU-a",pci_bus_id="00000000:1A:00.0",device="nvidia0",modelName="NVIDIA H100, \"SXM\"",Hostname="n1"} 0.98
DCGM_FI_PROF_SM_ACTIVE{gpu="1",UUID="GPU-b",pci_bus_id="00000000:40:00.0",device="nvidia1",Hostname="n1"} 0.250000 1700000000000
DCGM_FI_PROF_PIPE_TENSOR_ACTIVE{gpu="0",UUID="GPU-a",pci_bus_id="00000000:1A:00.0",Hostname="n1"} 0.5
DCGM_FI_PROF_NVLINK_TX_BYTES{gpu="0",UUID="GPU-a",pci_bus_id="00000000:1A:00.0",Hostname="n1"} 2.5e10
DCGM_FI_DEV_XID_ERRORS{gpu="1",UUID="GPU-b",pci_bus_id="00000000:40:00.0",Hostname="n1",err_code="79"} 79
DCGM_FI_DEV_GPU_UTIL{gpu="1",UUID="GPU-b",Hostname="n1"} 12
DCGM_FI_PROF_SM_ACTIVE{gpu="0",UUID="GPU-z",Hostname="n2"} 0.1
)";

TEST(Attach, DcgmsFieldsAreThoseOfOneHost)
{
    const std::vector<DcgmGpu> gpus = parseDcgmText(kDcgm);
    ASSERT_EQ(gpus.size(), 2);
    EXPECT_EQ(gpus[0].index, 0);
    EXPECT_EQ(gpus[0].smActive, 0.98);
    EXPECT_EQ(gpus[0].tensorActive, 0.5);
    EXPECT_EQ(gpus[0].nvlinkTxBytesPerS, 2.5e10);
    EXPECT_EQ(gpus[0].dramActive, std::nullopt);
    EXPECT_EQ(gpus[1].smActive, 0.25);
    EXPECT_EQ(gpus[1].lastXid, 79);
}

TEST(Attach, WhatIsNoFieldOfDcgmIsLeftOut)
{
    for (const char* const text :
         {"", "DCGM_FI_PROF_SM_ACTIVE 0.5", "DCGM_FI_PROF_SM_ACTIVE{gpu=\"0\"",
          "DCGM_FI_PROF_SM_ACTIVE{gpu=\"0\\", "DCGM_FI_PROF_SM_ACTIVE{gpu=\"0\"} NaN",
          "DCGM_FI_PROF_SM_ACTIVE{gpu=\"0\"} 1.5", "DCGM_FI_PROF_SM_ACTIVE{gpu=\"0\"} -1",
          "DCGM_FI_PROF_SM_ACTIVE{} 0.5", "}{}{"}) {
        EXPECT_TRUE(parseDcgmText(text).empty()) << text;
    }
}

} // namespace attach_test
} // namespace ringside::attach
