// SPDX-License-Identifier: Apache-2.0
// Lines of PyTorch's watchdog: what they say, and what no job can have written.
#include "import/torch_watchdog/watchdog_line.h"
#include "lines_folder.h"

#include <ringside/error.h>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace ringside::importers {
namespace {

std::string timedOut(const std::string& rank, const std::string& ranMs)
{
    return fmt::format(
        "[rank{0}]:[E1128 10:04:10.204117 ProcessGroupNCCL.cpp:632] [Rank {0}] Watchdog caught collective "
        "operation timeout: WorkNCCL(SeqNum=7, OpType=ALLREDUCE, NumelIn=64, NumelOut=64, "
        "Timeout(ms)=600000) "
        "ran for {1} milliseconds before timing out.",
        rank, ranMs);
}

class Watchdog : public LinesFolder {};

TEST_F(Watchdog, SaysWhichCallTimedOut)
{
    const std::string line = timedOut("3", "600020");
    const auto said = watchdog::readWatchdogLine(line);
    ASSERT_TRUE(said && said->timedOut);
    EXPECT_EQ(said->rank, 3);
    EXPECT_EQ(said->timedOut->number, 7);
    EXPECT_EQ(said->timedOut->operation, "ALLREDUCE");
    EXPECT_EQ(said->timedOut->ranMs, 600'020);
}

TEST_F(Watchdog, OfATimeOrARankThatNoJobHasIsNotRead)
{
    EXPECT_FALSE(watchdog::readWatchdogLine(timedOut("3", "1152921504606846975"))) << "ns of it do not fit";
    EXPECT_FALSE(watchdog::readWatchdogLine(timedOut("16000000", "600020")));
    EXPECT_FALSE(watchdog::readWatchdogLine(timedOut("-1", "600020")));
}

TEST_F(Watchdog, OfTheLargestJobIsRead)
{
    std::vector<std::string> lines;
    for (int rank = 999'000; rank < 1'000'000; ++rank) {
        lines.push_back(timedOut(std::to_string(rank), "600020"));
    }
    write("job.log", lines);
    const trace::RunTrace run = open();
    ASSERT_EQ(run.processes.size(), 1000U);
    EXPECT_EQ(run.processes.back().communicators.at(0).size, 1'000'000);
}

} // namespace
} // namespace ringside::importers
