// SPDX-License-Identifier: Apache-2.0
#include "support/temporary_directory.h"
#include "support/trace_builder.h"
#include "trace/read/plausible.h"
#include "trace/write/database.h"
#include "trace_equality.h"

#include <ringside/error.h>
#include <ringside/trace/write_process.h>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <limits>

namespace ringside::test {
namespace {

using namespace ringside::trace;

// The farthest times that the reader believes.
constexpr std::int64_t kLow = -kFarthestTimeNs;
constexpr std::int64_t kHigh = kFarthestTimeNs;

/// One row of everything, nullable columns once with and once without a value.
ProcessTrace everyTable()
{
    ProcessTrace trace;
    trace.process = {"host", "boot", 1, 2, std::nullopt, "train", "1", true};
    trace.strings = {{1, "ncclAllReduce"}, {0xFFFFFFFF, "ümläut\n"}};
    trace.ranks = {{0, 1, 2, 3, 0, "RANK"}, {0, std::nullopt, std::nullopt, std::nullopt, 1, ""}};
    trace.devices = {{0, "GPU", "uuid", "pci", 80LL << 30, false, 9, 0, 132},
                     {1, "", "", "", std::nullopt, true, std::nullopt, std::nullopt, std::nullopt}};
    trace.launchConfigurations = {{1, 1, 46800, 1, 1, 128, 2, 3, 32, 0, 1024, 1024, std::nullopt},
                                  {0xFFFFFFFF, 0xFFFFFFFF, std::nullopt, kLow, kHigh, std::nullopt,
                                   std::nullopt, std::nullopt, std::nullopt, std::nullopt, std::nullopt, 0,
                                   100}};
    trace.communicators = {
        {1, 0, 0xFFFFFFFFFFFFFFFF, 8, 3, 0, 1, kHigh, 0x8000000000000000, 0xFFFFFFFFFFFFFFFF},
        {2, 1, 7, 4, 1, 0, 0, 5, 6, std::nullopt}};
    trace.streams = {{1, 0, 0xFFFFFFFFFFFFFFFF}};
    trace.threads = {{1, 99, "main"}};
    trace.clockSamples = {{1, 2, std::nullopt, std::nullopt}, {3, 4, 0xFFFFFFFFFFFFFFFF, kLow}};
    trace.collectiveCalls = {{1, 1, 1, 0, 100, 400, 7, 0, std::nullopt, 2, 3, 10, 20, 1, -1, 6},
                             {2, 1, 1, 1, 100, 400, 7, std::nullopt, 5, 2, 0, 30, 40, 1, 0, std::nullopt},
                             {4, 1, 1, 2, std::nullopt, 400, std::nullopt, 0, std::nullopt, 0, 0, 50, 60, 1,
                              std::nullopt, std::nullopt}};
    trace.groups = {{3, 1, 10, 15, 20, 1, 0}, {5, 1, 10, 15, 20, 1, std::nullopt}};
    trace.steps = {{1, 5, 50, 1}};
    trace.ranges = {{1, 0, 4, 2, 1, kLow, kHigh, 1}};
    trace.categories = {{0, 5, 1}, {1, 0xFFFFFFFF, 0xFFFFFFFF}};
    trace.tiers = {{"device", false, "no CUPTI", 1, 2}, {"host", true, "", std::nullopt, std::nullopt}};
    trace.settings = {{"environment", "NCCL_ALGO", "Ring"}, {"environment", "NCCL_ALGO", "Tree"}};
    trace.drops = {{"device", 0, 5}, {"ring records", 2, 7, 1}, {"ring records", 2, 3, 2}};
    trace.issues = {{Issue::TextCut, 2, "text"}};
    trace.inFlight = {{1, 1, 1, 2, 3, 4, std::nullopt, std::nullopt},
                      {1, 1, 1, 2, 3, 4, 7, std::nullopt},
                      {2, 1, 1, 2, std::nullopt, 4, std::nullopt, 12}};
    trace.hangs = {{7, 30, 20, std::nullopt, "no collective"}, {8, 50, 40, 60, "a call"}};
    trace.stacks = {{"native", 7, 35, 99, 0, "main", "poll+0x1 (libc.so.6)"},
                    {"note", std::nullopt, 36, 0, 0, "", "not permitted"}};
    trace.memoryStates = {
        {1, 0, "snapshot", std::nullopt, std::nullopt, 90, 100, 95, 96, 4, 4, std::nullopt, std::nullopt},
        {2, 0, "out_of_memory", 70, 3, 50, 60, std::nullopt, std::nullopt, std::nullopt, std::nullopt, 20,
         5}};
    trace.memoryHolders = {{1, 1, 0, 80, 2}, {1, 0, 2, 10, 1}};
    trace.series = {{1, "nvml", "gpu0", "power_mw", "gauge", 0},
                    {2, "network", "eth0", "rx_bytes", "counter", 1}};
    trace.recoveredRecords = 12;
    trace.kernels = {{1, 5, kHigh},     {2, 6, kLow},       {1, 1, 0xFFFFFFFF}, {0, 0, 1},
                     {7, 7, 7},         {1, 2, 0xFFFFFFFF}, {0, 0, 9},          {0, 0, 0xFFFFFFFFFFFFFFFF},
                     {0, 1, 0xFFFFFFFF}};
    trace.copies = {{1}, {2}, {0xFFFFFFFFFFFFFFFF}, {0}, {7}, {3}, {kSetKind},
                    {9}, {2}, {0xFFFFFFFFFFFFFFFF}};
    trace.apiCalls = {{1, 2}, {2, 3}, {1, 1}, {1, 1}, {0, 1}, {0xFFFFFFFF, 1}, {0, 9}, {-1, 700}};
    trace.launches = {{1}, {2}, {1}, {99}, {1}};
    trace.pythonCalls = {{1, 2}, {9, 3}, {1, 2}, {1, 9}};
    trace.operators = {{1, kLow}, {5, kHigh}, {1, 2}, {9, 0xFFFFFFFF}, {1, 1}, {2, 2}, {0, 1}};
    trace.callCorrelations = {{1, 0xFFFFFFFF}, {0xFFFFFFFFFFFFFFFF, 1}};
    trace.ncclOperations = {{1, 4, 1, 1, 2, 3, 24, 7, 4096, 0, 10, 20, 11, 12, 1},
                            {2, std::nullopt, 0, 1, 0, 0, std::nullopt, std::nullopt, std::nullopt,
                             std::nullopt, 30, 40, std::nullopt, std::nullopt, 2}};
    trace.channelTimes = {{100, 110}, {200, 190}, {1, 1}, {0, 63}, {0, kUnknownDevice}, {5, kUnboundedNs}};
    trace.ncclDetails = {{1, 3, 1, 77, std::nullopt, std::nullopt, std::nullopt, std::nullopt, std::nullopt},
                         {2, 0, std::nullopt, std::nullopt, 2, 14, 4096, 2, 0}};
    trace.kernelPhases = {{100, 110}, {105, 190},          {1, 1},           {0, 63},
                          {0, 2},     {0, kUnknownDevice}, {5, kUnboundedNs}};
    trace.eventTimes = {{100, kLow}, {200, kHigh}, {1, 0xFFFFFFFFFFFFFFFF},
                        {0, 7},      {3, 4},       {900, 0xFFFFFFFF}};
    trace.proxySteps = {
        {1, 2}, {5, 6}, {1, 1},  {4096, 0}, {0, 1}, {3, 3}, {0, 1}, {1, 0}, {ProxyStepRow::kNotSeenNs, 7},
        {0, 8}, {1, 2}, {-1, -1}};
    trace.graphLaunches = {{1, 1}, {2, 3}, {8, 8}, {6, 6}, {1, 2}, {4, 0}, {2, 17}, {0, 3}, {1, 1}, {-1, 0}};
    trace.samples = {{kLow, 1, kHigh}, {1, 2, 1}, {700'000, -1, std::numeric_limits<std::int64_t>::min()}};
    return trace;
}

TEST(WriterAndReader, RestoreEveryTable)
{
    const TemporaryDirectory directory;
    writeProcess(everyTable(), directory / "a.db");
    expectSameTrace(readProcess(directory / "a.db"), everyTable());
}

TEST(WriterAndReader, RestoreABuiltRun)
{
    const TemporaryDirectory directory;
    TraceBuilder builder(4);
    builder.host(3, "host1", 5ms, 20);
    builder.steps(20, [](StepBuilder& step) {
        step.everyRank().host(100us, "data").compute(3ms, {.launches = 7}).copy(1_MiB, 50us);
        step.rank(2).compute(1ms);
        step.allReduce(4_MiB, {.takes = 1ms, .overlapped = true});
    });
    builder.write(directory / "run.ringside");
    const RunTrace read = openRun(directory / "run.ringside");
    const RunTrace built = builder.run();
    ASSERT_EQ(read.processes.size(), 4U);
    EXPECT_TRUE(read.issues.empty());
    for (std::size_t i = 0; i < 4; ++i) {
        expectSameTrace(read.processes[i], built.processes[i]);
        EXPECT_TRUE(read.processes[i].issues.empty());
    }
}

/// Kernels whose every column is a function of their number.
KernelRow kernel(std::uint32_t i)
{
    return {1000LL * i, 1000LL * i + 500 + i % 7, 1 + i % 3, 0, 7, i};
}

void expectKernels(const ProcessTrace& trace, std::uint32_t count)
{
    ASSERT_EQ(trace.kernels.size(), count);
    for (std::uint32_t i = 0; i < count; ++i) {
        const KernelRow row = kernel(i);
        ASSERT_EQ(trace.kernels.startNs[i], row.startNs) << i;
        ASSERT_EQ(trace.kernels.endNs[i], row.endNs) << i;
        ASSERT_EQ(trace.kernels.name[i], row.name) << i;
        ASSERT_EQ(trace.kernels.correlation[i], row.correlation) << i;
    }
}

std::int64_t chunksIn(const std::filesystem::path& file)
{
    return Database(file, SQLITE_OPEN_READONLY)
        .queryInteger("SELECT count(*) FROM kernel_chunk")
        .value_or(-1);
}

class ChunkBoundary : public testing::TestWithParam<std::uint32_t> {};

TEST_P(ChunkBoundary, IsInvisible)
{
    const TemporaryDirectory directory;
    const std::uint32_t count = GetParam();
    Writer writer(directory / "a.db", Writer::Mode::Create);
    writer.setProcess({});
    for (std::uint32_t i = 0; i < count; ++i) {
        writer.add(kernel(i));
        if (i % 10000 == 0) {
            writer.commit();
        }
    }
    writer.commit();
    expectKernels(readProcess(directory / "a.db"), count); // while it is being written
    writer.close();
    expectKernels(readProcess(directory / "a.db"), count);
    EXPECT_EQ(chunksIn(directory / "a.db"), (count + 65535) / 65536) << "small chunks are merged";
}

INSTANTIATE_TEST_SUITE_P(Counts, ChunkBoundary, testing::Values(0U, 1U, 65535U, 65536U, 65537U, 200000U));

TEST(WriterAndReader, LeaveOneFile)
{
    const TemporaryDirectory directory;
    writeProcess(everyTable(), directory / "a.db");
    const auto entries = std::filesystem::directory_iterator(directory.path());
    EXPECT_EQ(std::distance(begin(entries), end(entries)), 1);
}

TEST(WriterAndReader, RefuseToOverwrite)
{
    const TemporaryDirectory directory;
    writeProcess(everyTable(), directory / "a.db");
    EXPECT_THROW(Writer(directory / "a.db", Writer::Mode::Create), Error);
    expectSameTrace(readProcess(directory / "a.db"), everyTable());
}

ProcessRow processOn(const std::string& host)
{
    ProcessRow process;
    process.host = host;
    return process;
}

TEST(WriterAndReader, ContinueATrace)
{
    const TemporaryDirectory directory;
    {
        Writer writer(directory / "a.db", Writer::Mode::Create);
        writer.setProcess(processOn("first"));
        writer.add(kernel(0));
        writer.setRingProgress(3, 17);
        EXPECT_GE(writer.intern("a"), 0x80000000);
        writer.add(IssueRow{Issue::TextCut, 2, "once"});
        writer.close();
    }
    Writer writer(directory / "a.db", Writer::Mode::Append);
    EXPECT_EQ(writer.ringProgress(3), 17U);
    EXPECT_EQ(writer.ringProgress(4), 0U);
    EXPECT_EQ(writer.intern("a"), 0x80000000);
    EXPECT_EQ(writer.intern("b"), 0x80000001);
    writer.add(kernel(1));
    writer.add(IssueRow{Issue::TextCut, 3, "twice"});
    writer.setProcess(processOn("second"));
    writer.close();
    const ProcessTrace trace = readProcess(directory / "a.db");
    expectKernels(trace, 2);
    EXPECT_EQ(trace.process.host, "second");
    ASSERT_EQ(trace.issues.size(), 1U);
    EXPECT_EQ(trace.issues[0].count, 5);
}

TEST(WriterAndReader, KeepIssuesOfFilesFromBeforeTheirList)
{
    const TemporaryDirectory directory;
    {
        Writer writer(directory / "a.db", Writer::Mode::Create);
        writer.setProcess(processOn("host"));
        writer.add(IssueRow{Issue::TextCut, 2, "as it was said"});
        writer.close();
    }
    Database(directory / "a.db", SQLITE_OPEN_READWRITE)
        .execute("UPDATE issue SET id = 'of_another_tool', severity = 'error'");
    const ProcessTrace trace = readProcess(directory / "a.db");
    ASSERT_EQ(trace.issues.size(), 1U);
    EXPECT_EQ(trace.issues[0].id, "of_another_tool");
    EXPECT_EQ(trace.issues[0].severity, Severity::Problem);
    EXPECT_EQ(trace.issues[0].message, "as it was said");
    EXPECT_FALSE(trace.issues[0].is(Issue::TextCut));
}

TEST(WriterAndReader, TruncateLongTextsAndReportIt)
{
    const TemporaryDirectory directory;
    Writer writer(directory / "a.db", Writer::Mode::Create);
    writer.setProcess({});
    writer.defineString(1, std::string(4095, 'x') + "ü"); // the cut must not split the last character
    writer.close();
    const ProcessTrace trace = readProcess(directory / "a.db");
    EXPECT_EQ(trace.text(1), std::string(4095, 'x'));
    ASSERT_EQ(trace.issues.size(), 1U);
    EXPECT_EQ(trace.issues[0].id, "text_cut");
}

TEST(WriterAndReader, ForgetWhatWasNotCommitted)
{
    const TemporaryDirectory directory;
    {
        Writer writer(directory / "a.db", Writer::Mode::Create);
        writer.setProcess({});
        writer.add(kernel(0));
        writer.commit();
        writer.add(kernel(1));
        writer.add(StepRow{1, 2, 3, 4});
    }
    const ProcessTrace trace = readProcess(directory / "a.db");
    expectKernels(trace, 1);
    EXPECT_TRUE(trace.steps.empty());
}

/// Commits in a child, which tells each commit and is then killed.
std::uint32_t committedBeforeKill(const std::filesystem::path& file)
{
    constexpr std::uint32_t kRowsACommit = 30000;
    int toParent[2];
    if (pipe(toParent) != 0) {
        return 0;
    }
    const pid_t child = fork();
    if (child == 0) {
        Writer writer(file, Writer::Mode::Create);
        writer.setProcess({});
        for (std::uint32_t i = 0;; ++i) {
            writer.add(kernel(i));
            if ((i + 1) % kRowsACommit == 0) {
                writer.commit();
                const std::uint32_t done = i + 1;
                static_cast<void>(!write(toParent[1], &done, sizeof done));
            }
        }
    }
    std::uint32_t done = 0;
    while (done < 5 * kRowsACommit && read(toParent[0], &done, sizeof done) == sizeof done) {
    }
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    close(toParent[1]);
    for (std::uint32_t last = 0; read(toParent[0], &last, sizeof last) == sizeof last;) {
        done = last;
    }
    close(toParent[0]);
    return done;
}

TEST(WriterAndReader, KeepWhatWasCommittedBeforeSigkill)
{
    const TemporaryDirectory directory;
    const std::uint32_t committed = committedBeforeKill(directory / "a.db");
    ASSERT_GE(committed, 150000U);
    const ProcessTrace trace = readProcess(directory / "a.db");
    // A commit may have been done and not told yet.
    ASSERT_GE(trace.kernels.size(), committed);
    expectKernels(trace, static_cast<std::uint32_t>(trace.kernels.size()));
    EXPECT_FALSE(trace.process.endNs.has_value());
}

TEST(Reader, SortsByStartWithinAStream)
{
    const TemporaryDirectory directory;
    ProcessTrace trace;
    trace.kernels = {{30, 10, 20}, {31, 11, 21}, {3, 1, 2}, {0, 0, 0}, {7, 7, 7},
                     {3, 1, 2},    {0, 4, 0},    {0, 5, 0}, {1, 3, 2}};
    writeProcess(trace, directory / "a.db");
    const KernelColumns kernels = readProcess(directory / "a.db").kernels;
    EXPECT_EQ(kernels.startNs, (Column<std::int64_t>{10, 20, 30}));
    EXPECT_EQ(kernels.endNs, (Column<std::int64_t>{11, 21, 31}));
    EXPECT_EQ(kernels.name, (Column<StringId>{1, 2, 3}));
    EXPECT_EQ(kernels.configuration, (Column<std::uint32_t>{3, 2, 1}));
}

TEST(Reader, LeavesSortedStreamsInterleaved)
{
    const TemporaryDirectory directory;
    ProcessTrace trace;
    trace.kernels = {{10, 5, 20}, {11, 6, 21}, {1, 2, 3}, {0, 0, 0}, {7, 14, 7},
                     {1, 2, 3},   {0, 4, 0},   {0, 5, 0}, {0, 0, 0}};
    writeProcess(trace, directory / "a.db");
    EXPECT_EQ(readProcess(directory / "a.db").kernels.startNs, (Column<std::int64_t>{10, 5, 20}));
}

} // namespace
} // namespace ringside::test
