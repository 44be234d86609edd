// SPDX-License-Identifier: Apache-2.0
// Observers of real ranks: the log, the profiler plugin, the NVTX tool. Each rank writes its own files, which
// the test reads when all have ended.
#include "profiler_log.h"
#include "ranks.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <regex>
#include <sstream>
#include <thread>

/// Exported by NCCL without a declaration, unlike its deprecated twin.
extern "C" void ncclResetDebugInitInternal(void);

namespace ringside::test {
namespace {

// Event types, see NCCL's profiler interface.
constexpr std::uint64_t kGroup = 1;
constexpr std::uint64_t kColl = 2;
constexpr std::uint64_t kP2p = 4;
constexpr std::uint64_t kKernelCh = 64;
constexpr std::uint64_t kGroupApi = 256;
constexpr std::uint64_t kCollApi = 512;
constexpr std::uint64_t kP2pApi = 1024;
constexpr std::uint64_t kKernelLaunch = 2048;

/// First called by the test, before its ranks are forked.
std::string fileOf(int rank)
{
    static const std::string test = std::to_string(::getpid());
    return testing::TempDir() + "ringside-watching-" + test + "-" + std::to_string(rank);
}

std::vector<std::string> linesOf(int rank)
{
    std::ifstream file(fileOf(rank));
    std::vector<std::string> lines;
    for (std::string line; std::getline(file, line);)
        lines.push_back(line);
    return lines;
}

/// The lines that contain a match of a regular expression.
std::vector<std::string> matching(const std::vector<std::string>& lines, const std::string& expression)
{
    std::vector<std::string> found;
    std::ranges::copy_if(lines, std::back_inserter(found), [&](const std::string& line) {
        return std::regex_search(line, std::regex(expression));
    });
    return found;
}

/// Runs ranks that set their environment before their first call of NCCL but for the unique id.
void runWatched(int size, const std::function<void(const Rank&)>& environment,
                const std::function<void(Rank&)>& body)
{
    static_cast<void>(fileOf(0));
    const std::vector<Ending> endings = startRanks(size, Communicator::None, [&](Rank& self) {
        environment(self);
        ncclResetDebugInitInternal();
        succeed(ncclCommInitRank(&self.comm, self.size, self.id, self.rank), "ncclCommInitRank");
        body(self);
        succeed(ncclCommDestroy(self.comm), "ncclCommDestroy");
    });
    for (const Ending& ending : endings)
        EXPECT_EQ(ending.exitCode, 0) << ending.message;
}

void logTo(const Rank& self, const char* level, const char* subsystems)
{
    ::setenv("NCCL_DEBUG", level, 1);
    ::setenv("NCCL_DEBUG_SUBSYS", subsystems, 1);
    ::setenv("NCCL_DEBUG_FILE", fileOf(self.rank).c_str(), 1);
}

void profileTo(const Rank& self)
{
    ::setenv("NCCL_PROFILER_PLUGIN", RINGSIDE_TEST_PROFILER, 1);
    ::setenv("RINGSIDE_TEST_PROFILER_LOG", fileOf(self.rank).c_str(), 1);
    ::setenv("RINGSIDE_TEST_PROFILER_MASK", "0xfff", 1);
}

void traceTo(const Rank& self)
{
    ::setenv("NVTX_INJECTION64_PATH", RINGSIDE_TEST_NVTX, 1);
    ::setenv("RINGSIDE_TEST_NVTX_LOG", fileOf(self.rank).c_str(), 1);
    ::setenv("RINGSIDE_TEST_NVTX_EXTENSION", "1", 1);
}

void allReduce(const Rank& self, std::size_t count)
{
    std::vector<float> data(count, 1.0F);
    succeed(ncclAllReduce(data.data(), data.data(), count, ncclFloat32, ncclSum, self.comm, self.stream),
            "ncclAllReduce");
    self.synchronise();
}

class WatchedRanks : public testing::Test {
protected:
    void TearDown() override
    {
        for (int rank = 0; rank < 3; ++rank)
            ::unlink(fileOf(rank).c_str());
    }
};

/// The one match of a group in a file's lines.
std::string captured(const std::vector<std::string>& lines, const std::string& expression)
{
    const std::vector<std::string> found = matching(lines, expression);
    std::smatch match;
    EXPECT_EQ(found.size(), 1U) << expression;
    return !found.empty() && std::regex_search(found.front(), match, std::regex(expression)) ? match[1].str()
                                                                                             : "";
}

TEST_F(WatchedRanks, logTheirCommunicatorsLife)
{
    runWatched(
        3, [](const Rank& self) { logTo(self, "INFO", "INIT"); }, [](Rank&) {});
    std::vector<std::string> ids;
    for (int rank = 0; rank < 3; ++rank) {
        const std::vector<std::string> lines = linesOf(rank);
        const std::string who = "comm 0x[0-9a-f]+ rank " + std::to_string(rank);
        EXPECT_EQ(matching(lines, R"(NCCL INFO NCCL version 2\.28\.9\+cuda13\.0 \(emulated)").size(), 1U);
        for (const std::string stage : {"START", "COMPLETE"})
            ids.push_back(captured(lines, "NCCL INFO ncclCommInitRank " + who +
                                              " nranks 3 cudaDev 0 nvmlDev 0 busId [0-9a-f]+ commId "
                                              "(0x[0-9a-f]+) - Init " +
                                              stage + "$"));
        EXPECT_EQ(matching(lines, who + " nRanks 3 nNodes 1 localRanks 3 localRank " + std::to_string(rank) +
                                      " MNNVL 0$")
                      .size(),
                  1U);
        EXPECT_EQ(matching(lines, who + " nranks 3 cudaDev 0 busId [0-9a-f]+ - Destroy COMPLETE$").size(),
                  1U);
    }
    EXPECT_EQ(std::ranges::count(ids, ids.front()), 6);
}

TEST_F(WatchedRanks, countHostsByNcclsHostId)
{
    runWatched(
        3,
        [](const Rank& self) {
            logTo(self, "INFO", "INIT");
            ::setenv("NCCL_HOSTID", self.rank < 2 ? "one" : "other", 1);
        },
        [](Rank&) {});
    EXPECT_EQ(matching(linesOf(1), "nRanks 3 nNodes 2 localRanks 2 localRank 1 ").size(), 1U);
    EXPECT_EQ(matching(linesOf(2), "nRanks 3 nNodes 2 localRanks 1 localRank 0 ").size(), 1U);
}

TEST_F(WatchedRanks, logEachCallWithItsArguments)
{
    runWatched(
        2, [](const Rank& self) { logTo(self, "INFO", "COLL"); },
        [](Rank& self) {
            allReduce(self, 5);
            std::vector<int> data(6);
            succeed(ncclReduce(data.data(), data.data(), 6, ncclInt32, ncclMax, 1, self.comm, self.stream),
                    "ncclReduce");
            succeed(ncclAlltoAll(data.data(), data.data() + 3, 1, ncclInt32, self.comm, self.stream),
                    "ncclAlltoAll");
            self.synchronise();
        });
    const std::string buffers = " sendbuff 0x[0-9a-f]+ recvbuff 0x[0-9a-f]+ ";
    const std::string end = R"( comm 0x[0-9a-f]+ \[nranks=2\] stream 0x[0-9a-f]+$)";
    for (int rank = 0; rank < 2; ++rank) {
        const std::vector<std::string> lines = matching(linesOf(rank), "opCount");
        ASSERT_EQ(lines.size(), 3U);
        EXPECT_TRUE(std::regex_search(lines[0], std::regex(R"(\[0\] NCCL INFO AllReduce: opCount 0)" +
                                                           buffers + "count 5 datatype 7 op 0 root 0" + end)))
            << lines[0];
        EXPECT_TRUE(std::regex_search(
            lines[1], std::regex("Reduce: opCount 1" + buffers + "count 6 datatype 2 op 2 root 1" + end)))
            << lines[1];
        EXPECT_TRUE(std::regex_search(
            lines[2], std::regex("AlltoAll: opCount 2" + buffers + "count 1 datatype 2 op 0 root 0" + end)))
            << lines[2];
    }
}

TEST_F(WatchedRanks, warnOnceOfAWrongCall)
{
    runWatched(
        1, [](const Rank& self) { logTo(self, "WARN", "ALL"); },
        [](Rank& self) {
            succeed(ncclGroupStart(), "ncclGroupStart");
            check(ncclBroadcast(&self, &self, 1, ncclInt8, 7, self.comm, self.stream) == ncclInvalidArgument,
                  "a wrong root was taken");
            check(ncclGroupEnd() == ncclInvalidArgument, "the group was launched");
        });
    const std::vector<std::string> lines = linesOf(0);
    EXPECT_EQ(matching(lines, R"(^NCCL version 2\.28\.9)").size(), 1U);
    EXPECT_EQ(matching(lines, R"(\[0\] operation\.cpp:[0-9]+ NCCL WARN .*root)").size(), 1U);
    EXPECT_EQ(matching(lines, "WARN").size(), 1U);
}

TEST_F(WatchedRanks, areIntroducedToTheProfiler)
{
    runWatched(3, profileTo, [](Rank& self) {
        ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
        config.commName = "odd";
        ncclComm_t part = nullptr;
        succeed(ncclCommSplit(self.comm, self.rank % 2, 0, &part, &config), "ncclCommSplit");
        succeed(ncclCommDestroy(part), "ncclCommDestroy");
    });
    for (int rank = 0; rank < 3; ++rank) {
        const ProfilerLog log(fileOf(rank));
        ASSERT_EQ(log.all("init").size(), 2U);
        const ProfilerCall world = log.all("init")[0];
        EXPECT_EQ(world.text("id"), ProfilerLog(fileOf(0)).all("init")[0].text("id"));
        EXPECT_EQ(world.text("name") + world.text("nodes") + world.text("ranks"), "-13");
        EXPECT_EQ(world.number("rank"), static_cast<std::uint64_t>(rank));
        const ProfilerCall part = log.all("init")[1];
        EXPECT_EQ(part.text("name"), "odd");
        EXPECT_EQ(part.number("ranks"), rank == 1 ? 1U : 2U);
        EXPECT_NE(part.text("id"), world.text("id"));
        EXPECT_EQ(log.all("finalize").size(), 2U);
    }
    EXPECT_EQ(ProfilerLog(fileOf(0)).all("init")[1].text("id"),
              ProfilerLog(fileOf(2)).all("init")[1].text("id"));
}

TEST_F(WatchedRanks, showTheProfilerWholeTrees)
{
    runWatched(2, profileTo, [](Rank& self) { allReduce(self, 100); });
    for (int rank = 0; rank < 2; ++rank) {
        const ProfilerLog log(fileOf(rank));
        const ProfilerCall api = log.theStart(kCollApi);
        EXPECT_EQ(api.text("parent"), log.theStart(kGroupApi).text("handle"));
        EXPECT_EQ(log.theStart(kKernelLaunch).text("parent"), log.theStart(kGroupApi).text("handle"));
        const ProfilerCall coll = log.theStart(kColl);
        EXPECT_EQ(coll.text("parent") + coll.text("group"),
                  api.text("handle") + log.theStart(kGroup).text("handle"));
        EXPECT_EQ(coll.text("func") + coll.text("count") + coll.text("datatype"), "AllReduce100ncclFloat32");
        EXPECT_EQ(coll.number("rank"), static_cast<std::uint64_t>(rank));
        EXPECT_EQ(log.theStart(kKernelCh).text("parent"), coll.text("handle"));
        EXPECT_EQ(log.all("start").size(), log.all("stop").size());
        EXPECT_EQ(log.calls().back().what, "finalize");
    }
}

TEST_F(WatchedRanks, endTheirKernelsAfterTheLastHasBegun)
{
    runWatched(3, profileTo, [](Rank& self) {
        if (self.rank == 1)
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
        allReduce(self, 1000);
    });
    std::uint64_t lastBegin = 0;
    std::uint64_t firstEnd = ~0ULL;
    for (int rank = 0; rank < 3; ++rank) {
        const ProfilerLog log(fileOf(rank));
        const ProfilerCall kernel = log.theStart(kKernelCh);
        lastBegin = std::max(lastBegin, kernel.number("timer"));
        firstEnd =
            std::min(firstEnd, log.calls()[log.position("state", kernel.number("handle"))].number("value"));
    }
    EXPECT_LE(lastBegin, firstEnd);
}

TEST_F(WatchedRanks, showTheProfilerTheTransfersOfAnAlltoAll)
{
    runWatched(2, profileTo, [](Rank& self) {
        std::vector<int> data(8);
        succeed(ncclAlltoAll(data.data(), data.data() + 4, 2, ncclInt32, self.comm, self.stream),
                "ncclAlltoAll");
        self.synchronise();
    });
    const ProfilerLog log(fileOf(1));
    ASSERT_EQ(log.started(kP2p).size(), 4U);
    EXPECT_EQ(log.started(kP2pApi).size(), 4U);
    EXPECT_EQ(log.started(kKernelCh).size(), 4U);
    std::string transfers;
    for (const ProfilerCall& transfer : log.started(kP2p))
        transfers += transfer.text("func") + transfer.text("peer") + " ";
    EXPECT_EQ(transfers, "Send0 Recv0 Send1 Recv1 ");
    EXPECT_EQ(log.started(kGroupApi).size() + log.started(kKernelLaunch).size(), 2U);
}

TEST_F(WatchedRanks, tellTheProfilerNothingOfEmptyCollectives)
{
    runWatched(2, profileTo, [](Rank& self) { allReduce(self, 0); });
    EXPECT_TRUE(ProfilerLog(fileOf(0)).all("start").empty());
}

TEST_F(WatchedRanks, finishTheProfilerWhenTheyAreAborted)
{
    runWatched(2, profileTo, [](Rank& self) {
        std::vector<float> data(4);
        if (self.rank == 0) {
            succeed(ncclAllReduce(data.data(), data.data(), 4, ncclFloat32, ncclSum, self.comm, self.stream),
                    "ncclAllReduce");
            succeed(ncclAllReduce(data.data(), data.data(), 4, ncclFloat32, ncclSum, self.comm, self.stream),
                    "ncclAllReduce");
        }
        self.meet();
        succeed(ncclCommAbort(self.comm), "ncclCommAbort");
        static_cast<void>(cudaStreamSynchronize(self.stream));
        self.comm = nullptr;
    });
    const ProfilerLog log(fileOf(0));
    EXPECT_EQ(log.calls().back().what, "finalize");
    EXPECT_EQ(log.started(kColl).size(), 2U);
    EXPECT_LE(log.started(kKernelCh).size(), 1U);
    EXPECT_EQ(log.all("start").size(), log.all("stop").size());
}

/// The hexadecimal payload bytes of the first line with `name`.
std::string payloadOf(const std::vector<std::string>& lines, const std::string& name)
{
    return captured(lines, name + ".* payload=([0-9a-f]+)$");
}

TEST_F(WatchedRanks, openNvtxRangesWithTheCommunicatorsHash)
{
    runWatched(2, traceTo, [](Rank& self) {
        allReduce(self, 1024);
        succeed(ncclGroupStart(), "ncclGroupStart");
        succeed(ncclGroupEnd(), "ncclGroupEnd");
    });
    const std::vector<std::string> lines = linesOf(1);
    const std::string reduce = payloadOf(lines, "push NCCL ncclAllReduce schema=16777221");
    const std::string begin = payloadOf(lines, "pop NCCL schema=16777216");
    const std::string end = payloadOf(lines, "push NCCL ncclCommDestroy schema=16777218");
    EXPECT_EQ(reduce.substr(16, 24), "001000000000000000000000"); // 4096 bytes, ncclSum
    EXPECT_EQ(begin.substr(16, 24), "020000000100000000000000");  // 2 ranks, rank 1, device 0
    EXPECT_NE(reduce.substr(0, 16), std::string(16, '0'));
    EXPECT_EQ(begin.substr(0, 16), reduce.substr(0, 16));
    EXPECT_EQ(end.substr(0, 16), reduce.substr(0, 16));
    // Hash, size and operator take 20 bytes. The 4 bytes behind them are padding: NCCL leaves them as they
    // are.
    const std::string other = payloadOf(linesOf(0), "push NCCL ncclAllReduce schema=16777221");
    EXPECT_EQ(other.substr(0, 40), reduce.substr(0, 40));
    EXPECT_EQ(matching(lines, "^push NCCL ncclGroup(Start|End)$").size(), 2U);
    EXPECT_EQ(matching(lines, "^push ").size(), matching(lines, "^pop ").size());
}

} // namespace
} // namespace ringside::test
