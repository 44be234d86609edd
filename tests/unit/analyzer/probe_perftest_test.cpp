// SPDX-License-Identifier: Apache-2.0
// perftest as the probe's tool: command lines and tables. tests/lab/rdma_vm runs the programs.
#include "probe/perftest.h"

#include <ringside/error.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <thread>

namespace ringside::probe {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

// As perftest 4.5 prints them.
constexpr const char* kLatency =
    " local address: LID 0000 QPN 0x0011 PSN 0x1c6e1\n"
    "---------------------------------------------------------------------------------------\n"
    " #bytes #iterations    t_min[usec]    t_max[usec]  t_typical[usec]    t_avg[usec]    t_stdev[usec]   "
    "99% percentile[usec]   99.9% percentile[usec] \n"
    " 8       200          101.53         1260.11      121.07             139.01         14.51            "
    "244.52                  1260.11\n"
    "---------------------------------------------------------------------------------------\n";
constexpr const char* kBandwidth =
    " #bytes     #iterations    BW peak[Gb/sec]    BW average[Gb/sec]   MsgRate[Mpps]\n"
    " 1048576    21               0.00               0.18               0.000021\n";

TEST(Perftest, ReadsTheTablesOfItsPrograms)
{
    EXPECT_EQ(perftestFigure(kLatency, "t_typical[usec]"), 121.07);
    EXPECT_EQ(perftestFigure(kLatency, "99% percentile[usec]"), 244.52);
    EXPECT_EQ(perftestFigure(kBandwidth, "BW average[Gb/sec]"), 0.18);
}

TEST(Perftest, DoesNotInventAFigure)
{
    EXPECT_EQ(perftestFigure(kBandwidth, "BW average[MiB/sec]"), std::nullopt);
    EXPECT_EQ(perftestFigure("", "BW average[Gb/sec]"), std::nullopt);
    EXPECT_EQ(perftestFigure("#bytes #iterations BW average[Gb/sec]", "BW average[Gb/sec]"), std::nullopt);
    EXPECT_EQ(perftestFigure("#bytes #iterations BW average[Gb/sec]\n 8 1\n", "BW average[Gb/sec]"),
              std::nullopt);
    EXPECT_EQ(perftestFigure("#bytes #iterations BW average[Gb/sec]\n 8 1 fast\n", "BW average[Gb/sec]"),
              std::nullopt);
}

/// ib_write_bw prints its row without the end of the line, and then takes its connection down, which may take
/// long.
TEST(Perftest, ReadsARowWhoseLineDoesNotEnd)
{
    const std::string table = "#bytes #iterations BW average[Gb/sec] MsgRate[Mpps]\n 8 1 9.25 0.1";
    EXPECT_EQ(perftestFigure(table, "BW average[Gb/sec]"), 9.25);
    EXPECT_EQ(perftestFigure(table, "MsgRate[Mpps]"), std::nullopt) << "it may go on";
}

TEST(Perftest, AddressesRoceByItsGidAndInfiniBandByItsServiceLevel)
{
    RdmaPort port{"mlx5_3", 1, 3, true, 5, 106};
    const auto roce = perftestWords(kPerftestBandwidth, port, {"10.0.0.2", 4000}, {});
    EXPECT_THAT(roce, Contains("-x"));
    EXPECT_THAT(roce, Contains("--tclass=106"));
    EXPECT_THAT(roce, Not(Contains("-S")));
    EXPECT_EQ(roce.front(), "ib_write_bw");
    EXPECT_EQ(roce.back(), "10.0.0.2");
    port.ethernet = false;
    const auto infiniBand = perftestWords(kPerftestLatency, port, {"", 4000}, {});
    EXPECT_THAT(infiniBand, Contains("-S"));
    EXPECT_THAT(infiniBand, Not(Contains("-x")));
    EXPECT_EQ(infiniBand.back(), "200"); // no address at the end that waits
}

TEST(Perftest, TakesNoAddressThatCouldBeAnOption)
{
    const RdmaResult result = measureWithPerftest({"mlx5_0", 1}, "--help", 1, 2, {});
    EXPECT_FALSE(result.measured);
    EXPECT_THAT(result.reason, HasSubstr("IPv4"));
}

TEST(ToolProcess, KeepsWhatItPrintsAndItsEnd)
{
    ToolProcess process({"sh", "-c", "echo out; echo error >&2; exit 3"});
    ASSERT_TRUE(process.endsBefore(ToolProcess::Clock::now() + std::chrono::seconds(60)));
    EXPECT_EQ(process.exitCode(), 3);
    EXPECT_EQ(process.output(), "out\nerror\n");
}

TEST(ToolProcess, EndsWithItsObject)
{
    const auto begin = ToolProcess::Clock::now();
    {
        ToolProcess process({"sleep", "600"});
        EXPECT_FALSE(process.endsBefore(begin + std::chrono::milliseconds(50)));
        EXPECT_EQ(process.exitCode(), std::nullopt);
    }
    EXPECT_LT(ToolProcess::Clock::now() - begin, std::chrono::seconds(300));
}

/// Returns whether a process is there and not only waiting to be reaped.
bool isAlive(pid_t process)
{
    std::ifstream stat("/proc/" + std::to_string(process) + "/stat");
    std::string number;
    std::string name;
    std::string state;
    return stat >> number >> name >> state && state != "Z";
}

TEST(ToolProcess, EndsWithAnAgentThatIsKilled)
{
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    const pid_t agent = fork();
    if (agent == 0) {
        ToolProcess process({"sh", "-c", "echo $$; exec sleep 600"});
        while (!process.output().ends_with('\n') &&
               !process.endsBefore(ToolProcess::Clock::now() + std::chrono::milliseconds(10))) {
        }
        static_cast<void>(!write(ends[1], process.output().data(), process.output().size()));
        raise(SIGKILL);
    }
    close(ends[1]);
    char text[32] = {};
    ASSERT_GT(read(ends[0], text, sizeof text - 1), 0);
    close(ends[0]);
    ASSERT_EQ(waitpid(agent, nullptr, 0), agent);
    const pid_t tool = std::atoi(text);
    ASSERT_GT(tool, 0);
    for (int i = 0; i < 1000 && isAlive(tool); ++i) {
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    EXPECT_FALSE(isAlive(tool));
}

TEST(ToolProcess, NamesAProgramThatIsNotThere)
{
    try {
        const ToolProcess process({"ringside-no-such-program"});
        FAIL();
    } catch (const Error& error) {
        EXPECT_THAT(error.what(), HasSubstr("ringside-no-such-program cannot be started: No such file"));
    }
}

} // namespace
} // namespace ringside::probe
