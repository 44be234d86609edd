// SPDX-License-Identifier: Apache-2.0
// Which rank had the first symptom, by the output of jobs that died. Lines as PyTorch, torchrun, NCCL and the
// kernel write them.
#include "hang/symptoms.h"
#include "support/said.h"

#include <gtest/gtest.h>

#include <sstream>

namespace ringside::test {
namespace {

using hang::SymptomKind;
using Ranks = std::vector<std::int64_t>;

constexpr std::int64_t kNewYearNs = 1'798'761'600'000'000'000; ///< the begin of 2027, in UTC
constexpr std::int64_t kWrittenNs = kNewYearNs + 3'600'000'000'000;

struct LogFile {
    std::optional<std::int64_t> rank;
    std::string text;
};

std::optional<hang::Witness> firstOf(const std::vector<LogFile>& files)
{
    hang::Symptoms symptoms;
    for (const LogFile& file : files) {
        symptoms.beginFile(file.rank, kWrittenNs);
        std::istringstream lines(file.text);
        for (std::string line; std::getline(lines, line);) {
            symptoms.add(line);
        }
    }
    return symptoms.first();
}

std::string sentence(const std::vector<LogFile>& files)
{
    const auto first = firstOf(files);
    return first ? said(first->summary) : "";
}

/// A file a rank, in any order: the clock decides.
TEST(Symptoms, OutOfMemoryIsBeforeTheConnectionsThatBreak)
{
    EXPECT_EQ(
        sentence({{0, "2026-11-28 10:04:12,350 ERROR socket: Connection closed by peer\n"},
                  {5, "2026-11-28 10:04:10,250 ERROR torch.OutOfMemoryError: CUDA out of memory. Tried "
                      "to allocate 2.00 GiB\n"},
                  {3, "2026-11-28 10:04:12,900 ERROR Connection reset by peer\n"}}),
        "rank 5 ran out of GPU memory first, 2.1 s before ranks 0 and 3 lost a connection or waited too "
        "long");
}

/// A traceback has no time stamps. Its lines stand between others in the output of the job.
TEST(Symptoms, InOneFileTheOrderOfLinesDecides)
{
    const std::string output = "[rank5]: Traceback (most recent call last):\n"
                               "[rank5]:   File \"train.py\", line 9, in <module>\n"
                               "[rank5]: torch.cuda.OutOfMemoryError: CUDA out of memory.\n"
                               "[rank1]:[E1128 10:04:12.204117 ProcessGroupNCCL.cpp:616] [Rank 1] Watchdog "
                               "caught collective operation "
                               "timeout: WorkNCCL(SeqNum=7, OpType=ALLREDUCE, NumelIn=4, NumelOut=4, "
                               "Timeout(ms)=1000) ran for 1001 ms\n";
    EXPECT_EQ(sentence({{std::nullopt, output}}),
              "rank 5 ran out of GPU memory first before rank 1 lost a connection or waited too long");
}

/// The kernel's log names a process, and the launcher's table whose it was.
TEST(Symptoms, TheKernelsLogIsJoinedByProcess)
{
    const std::vector<LogFile> files = {
        {std::nullopt,
         "Nov 28 10:04:09 node1 kernel: Out of memory: Killed process 4711 (python) total-vm:1kB\n"},
        {std::nullopt, "[rank0]: E1128 10:04:11.500000 x.cpp:1] Connection reset by peer\n"
                       "Root Cause (first observed failure):\n"
                       "  time      : 2026-11-28_10:04:12\n"
                       "  rank      : 6 (local_rank: 2)\n"
                       "  exitcode  : -9 (pid: 4711)\n"}};
    const auto first = firstOf(files);
    ASSERT_TRUE(first);
    EXPECT_EQ(first->blamed, Ranks{6});
    EXPECT_EQ(said(first->summary), "rank 6 ran out of the host's memory first, 2.5 s before rank 0 lost a "
                                    "connection or waited too long");
}

TEST(Symptoms, ANaNSpreadsToTheOthers)
{
    const auto first = firstOf(
        {{2, "2026-11-28T10:00:05.5 step 12 loss=nan\n"},
         {1, "2026-11-28T10:00:04.0 step 11 loss=0.31\n2026-11-28T10:00:04.9 step 12 grad_norm: NaN\n"},
         {0, "2026-11-28T10:00:05.6 step 12 loss=nan\n"}});
    ASSERT_TRUE(first);
    EXPECT_EQ(first->blamed, Ranks{1});
    EXPECT_EQ(sentence({{1, "2026-11-28T10:00:04.9 loss of finance: bananas\n"}}), "") << "no NaN";
}

TEST(Symptoms, WhatCannotBeOrderedIsNotNamed)
{
    EXPECT_FALSE(firstOf(
        {{0, "2026-11-28 10:04:10 CUDA out of memory\n"}, {1, "2026-11-28 10:04:10 Segmentation fault\n"}}))
        << "both within a second";
    EXPECT_FALSE(firstOf({{0, "CUDA out of memory\n"}, {1, "Segmentation fault\n"}})) << "no times";
    EXPECT_FALSE(firstOf({{0, "2026-11-28 10:04:10 Connection reset by peer\n"}})) << "it is not the cause";
    EXPECT_FALSE(firstOf({{0, "2026-11-28 10:04:10 Connection reset by peer\n"},
                          {1, "2026-11-28 10:04:30 CUDA error: an illegal memory access was encountered\n"}}))
        << "the connection broke before";
    EXPECT_FALSE(firstOf({{std::nullopt, "2026-11-28 10:04:10 CUDA out of memory\n"}})) << "of which rank?";
}

/// A program may catch it and go on with a smaller batch.
TEST(Symptoms, AnOutOfMemoryBehindWhichTheRankTrainsIsNotTheDeath)
{
    const std::string caught = "2026-11-28 10:04:10 CUDA out of memory. Trying a smaller batch\n"
                               "2026-11-28 10:04:12 step 17 loss 0.31\n";
    const std::string crash = "2026-11-28 10:09:00.1 Segmentation fault\n";
    const auto first = firstOf({{0, caught}, {1, crash}});
    ASSERT_TRUE(first);
    EXPECT_EQ(first->blamed, Ranks{1});
    EXPECT_FALSE(firstOf({{0, caught}}));
    const auto later = firstOf({{0, caught + "2026-11-28 10:08:50 CUDA out of memory\n"}, {1, crash}});
    ASSERT_TRUE(later) << "the second one was not caught";
    EXPECT_EQ(later->blamed, Ranks{0});
    const auto code = firstOf({{0, "CUDA out of memory\n    loss = step(batch)\n    loss.backward()\n"}});
    ASSERT_TRUE(code) << "lines of a traceback";
    const std::string other = "[rank3]: CUDA out of memory\n[rank2]: step 17 loss 0.3\n";
    EXPECT_EQ(firstOf({{std::nullopt, other}})->blamed, Ranks{3}) << "another rank trains";
}

/// A place in a node or a group is no rank of the job.
TEST(Symptoms, OnlyTheRankOfTheJobNamesARank)
{
    EXPECT_FALSE(hang::readSymptomLine("local_rank=3 CUDA out of memory", kWrittenNs).rank);
    EXPECT_EQ(hang::readSymptomLine("node_rank=1 local_rank=3 rank=11 CUDA out of memory", kWrittenNs).rank,
              11);
    EXPECT_EQ(hang::readSymptomLine("[rank5]: CUDA out of memory", kWrittenNs).rank, 5);
}

/// A rank that loses its peers says so for each of them, and thousands of ranks say it again and again.
TEST(Symptoms, WhatIsRepeatedCountsOnce)
{
    std::string output = "2026-11-28 10:04:10 [rank7]: CUDA out of memory\n";
    for (int line = 0; line < 100'000; ++line) {
        output += "2026-11-28 10:04:12 [rank" + std::to_string(line % 7) + "]: Connection reset by peer\n";
    }
    EXPECT_EQ(
        sentence({{std::nullopt, output}}),
        "rank 7 ran out of GPU memory first, 2.0 s before ranks 0 to 6 lost a connection or waited too long");
}

/// The clock of one host may be in another zone, and a job may die at midnight of the year's last day.
TEST(Symptoms, YearsAndZonesAreOnOneClock)
{
    EXPECT_EQ(sentence({{0, "2026-11-28T11:04:12+01:00 Connection reset by peer\n"},
                        {4, "2026-11-28T10:04:10Z CUDA out of memory\n"}}),
              "rank 4 ran out of GPU memory first, 2.0 s before rank 0 lost a connection or waited too long");
    EXPECT_EQ(sentence({{0, "[E0101 00:00:01.5 x.cpp:1] Connection reset by peer\n"},
                        {4, "[E1231 23:59:58.5 x.cpp:1] CUDA out of memory\n"}}),
              "rank 4 ran out of GPU memory first, 3.0 s before rank 0 lost a connection or waited too long");
}

} // namespace
} // namespace ringside::test
