// SPDX-License-Identifier: Apache-2.0
// What goes wrong in distributed jobs must end in an error that names it, within the timeout, and never in a
// hang.
#include "ranks.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <utility>

namespace ringside::test {
namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

/// Ranks started meanwhile wait only this long for each other.
class ShortTimeout final {
public:
    explicit ShortTimeout(const char* seconds) { ::setenv("RINGSIDE_NCCL_TIMEOUT_S", seconds, 1); }
    ~ShortTimeout() { ::unsetenv("RINGSIDE_NCCL_TIMEOUT_S"); }
    ShortTimeout(const ShortTimeout&) = delete;
    ShortTimeout& operator=(const ShortTimeout&) = delete;
};

void expectLastError(const std::string& part)
{
    const std::string message = ncclGetLastError(nullptr);
    check(message.find(part) != std::string::npos,
          "the message does not say \"" + part + "\" but: " + message);
}

TEST(Initialisation, namesTheMissingRankAfterTheTimeout)
{
    const ShortTimeout timeout("0.6");
    EXPECT_TRUE(allEndedWell(startRanks(3, Communicator::None, [](Rank& self) {
        if (self.rank != 1) { // who takes part in nothing
            ncclComm_t comm = nullptr;
            const ncclResult_t result = ncclCommInitRank(&comm, 3, self.id, self.rank);
            check(result == ncclRemoteError, "not a remote error but " + std::to_string(result));
            check(comm == nullptr, "a communicator came out");
            expectLastError("of 3 ranks these never called ncclCommInitRank: 1");
        }
        self.meet(); // the id's server lives in rank 0: the others need it for their answer
    })));
}

/// Rank 0 calls with what it believes, then rank 1, whose error must say what does not fit.
void expectRefusal(int firstSize, int secondSize, int secondRank, const std::string& message)
{
    const ShortTimeout timeout("0.6");
    EXPECT_TRUE(allEndedWell(startRanks(2, Communicator::None, [&](Rank& self) {
        ncclComm_t comm = nullptr;
        if (self.rank == 0)
            check(ncclCommInitRank(&comm, firstSize, self.id, 0) != ncclSuccess, "rank 0 found its peer");
        self.meet();
        if (self.rank == 1) {
            check(ncclCommInitRank(&comm, secondSize, self.id, secondRank) != ncclSuccess, "it was accepted");
            expectLastError(message);
        }
        self.meet();
    })));
}

TEST(Initialisation, refusesRanksThatDoNotFitTogether)
{
    expectRefusal(2, 2, 0, "two ranks call themselves rank 0");
    expectRefusal(2, 3, 1, "ranks disagree on the communicator's size: 2 and 3");
}

TEST(Initialisation, refusesBadArguments)
{
    EXPECT_TRUE(allEndedWell(startRanks(1, Communicator::None, [](Rank& self) {
        ncclComm_t comm = nullptr;
        check(ncclCommInitRank(&comm, 2, self.id, 2) == ncclInvalidArgument, "rank 2 of 2 was accepted");
        check(ncclCommInitRank(nullptr, 1, self.id, 0) == ncclInvalidArgument, "a null place was accepted");
        ncclUniqueId foreign{};
        std::memset(&foreign, 7, sizeof foreign);
        check(ncclCommInitRank(&comm, 1, foreign, 0) == ncclInvalidArgument, "a foreign id was accepted");
        expectLastError("does not come from the emulated NCCL");
        ::setenv("RINGSIDE_NCCL_TIMEOUT_S", "soon", 1);
        check(ncclCommInitRank(&comm, 1, self.id, 0) == ncclInvalidUsage, "a bad timeout was accepted");
        expectLastError("RINGSIDE_NCCL_TIMEOUT_S");
    })));
}

TEST(Initialisation, failsWhenTheIdsProcessIsGone)
{
    const ShortTimeout timeout("0.3");
    EXPECT_TRUE(allEndedWell(startRanks(2, Communicator::None, [](Rank& self) {
        if (self.rank == 0)
            return;
        ncclComm_t comm = nullptr;
        while (ncclCommInitRank(&comm, 2, self.id, 1) != ncclSystemError) {
            // rank 0's process is still ending
        }
        expectLastError("the process that made the unique id");
    })));
}

/// All-reduces until an asynchronous error turns up; without one the test's time runs out.
void reduceUntilFailure(Rank& self, std::vector<float>& data)
{
    for (;;) {
        const ncclResult_t result = ncclAllReduce(data.data(), data.data(), data.size(), ncclFloat32, ncclMax,
                                                  self.comm, self.stream);
        self.synchronise();
        ncclResult_t state = ncclSuccess;
        succeed(ncclCommGetAsyncError(self.comm, &state), "ncclCommGetAsyncError");
        if (state == ncclSuccess && result == ncclSuccess)
            continue;
        check(state == ncclRemoteError, "the asynchronous error is " + std::to_string(state));
        check(ncclAllReduce(data.data(), data.data(), 1, ncclFloat32, ncclSum, self.comm, self.stream) ==
                  ncclRemoteError,
              "a broken communicator takes more work");
        return;
    }
}

class DeadPeer : public ::testing::TestWithParam<std::size_t> {};

TEST_P(DeadPeer, endsTheCollectivesOfAllOthers)
{
    const std::size_t count = GetParam();
    const std::vector<Ending> endings = startRanks(4, Communicator::Connected, [count](Rank& self) {
        std::vector<float> data(count, 1.0F);
        if (self.rank == 2)
            std::thread([] {
                std::this_thread::sleep_for(150ms);
                ::kill(::getpid(), SIGKILL);
            }).detach();
        reduceUntilFailure(self, data);
    });
    EXPECT_EQ(endings[2].exitCode, -1);
    for (const std::size_t rank : {0U, 1U, 3U})
        EXPECT_EQ(endings[rank].exitCode, 0) << "rank " << rank << ": " << endings[rank].message;
}

INSTANTIATE_TEST_SUITE_P(Counts, DeadPeer, ::testing::Values(1, 4'000'000));

TEST(Abort, endsACollectiveThatAPeerNeverJoins)
{
    EXPECT_TRUE(ranksEndWell(2, [](Rank& self) {
        if (self.rank == 1)
            return self.meet(); // without the abort, rank 0 never comes
        std::vector<float> data(100, 1.0F);
        succeed(ncclAllReduce(data.data(), data.data(), 100, ncclFloat32, ncclSum, self.comm, self.stream),
                "ncclAllReduce");
        const auto before = Clock::now();
        const ncclComm_t comm = std::exchange(self.comm, nullptr);
        std::thread watchdog([comm] {
            std::this_thread::sleep_for(200ms);
            succeed(ncclCommAbort(comm), "ncclCommAbort");
        });
        self.synchronise();
        const auto waited = Clock::now() - before;
        watchdog.join();
        check(waited > 150ms, "the all-reduce ended before the abort");
        self.meet();
    }));
}

/// Both ranks call with a count of their own, on buffers with guards behind. Each gets an error: of the
/// difference, or of its peer's failure.
void expectRefusedCounts(std::size_t first, std::size_t second,
                         const std::function<ncclResult_t(Rank&, std::vector<int>&, std::size_t)>& call)
{
    EXPECT_TRUE(ranksEndWell(2, [&](Rank& self) {
        constexpr std::size_t kGuards = 1'000'000;
        const std::size_t count = self.rank == 0 ? first : second;
        std::vector<int> data(count, 1);
        data.resize(count + kGuards, -7);
        succeed(call(self, data, count), "the call, which cannot know");
        self.synchronise();
        ncclResult_t state = ncclSuccess;
        succeed(ncclCommGetAsyncError(self.comm, &state), "ncclCommGetAsyncError");
        check(state == ncclInvalidUsage || state == ncclRemoteError, "the state is " + std::to_string(state));
        check(std::count(data.begin() + static_cast<std::ptrdiff_t>(count), data.end(), -7) == kGuards,
              "memory behind the buffer was written");
    }));
}

TEST(CountsThatDiffer, areErrors)
{
    for (const auto& [first, second] : {std::pair(10, 100'000), std::pair(700'000, 3)}) {
        expectRefusedCounts(first, second, [](Rank& self, std::vector<int>& data, std::size_t count) {
            return ncclAllReduce(data.data(), data.data(), count, ncclInt32, ncclSum, self.comm, self.stream);
        });
        expectRefusedCounts(first, second, [](Rank& self, std::vector<int>& data, std::size_t count) {
            return ncclBroadcast(data.data(), data.data(), count, ncclInt32, 0, self.comm, self.stream);
        });
        expectRefusedCounts(first, second, [](Rank& self, std::vector<int>& data, std::size_t count) {
            return self.rank == 0 ? ncclSend(data.data(), count, ncclInt32, 1, self.comm, self.stream)
                                  : ncclRecv(data.data(), count, ncclInt32, 0, self.comm, self.stream);
        });
    }
}

TEST(Launches, thatNoStreamTakesAreErrors)
{
    EXPECT_TRUE(ranksEndWell(1, [](Rank& self) {
        float value = 1.0F;
        cudaStream_t gone = nullptr;
        check(cudaStreamCreate(&gone) == cudaSuccess && cudaStreamDestroy(gone) == cudaSuccess, "no stream");
        check(ncclAllReduce(&value, &value, 1, ncclFloat32, ncclSum, self.comm, gone) ==
                  ncclUnhandledCudaError,
              "a destroyed stream took work");
        succeed(ncclAllReduce(&value, &value, 1, ncclFloat32, ncclSum, self.comm, self.stream),
                "ncclAllReduce");
        self.synchronise();
    }));
}

TEST(Refusals, areReported)
{
    EXPECT_TRUE(ranksEndWell(1, [](Rank& self) {
        check(ncclCommRevoke(self.comm, 0) == ncclInvalidUsage, "ncclCommRevoke was accepted");
        expectLastError("ncclCommRevoke is not implemented");
        check(ncclAllReduce(nullptr, nullptr, 1, ncclFloat32, ncclSum, self.comm, self.stream) ==
                  ncclInvalidArgument,
              "null buffers were accepted");
        check(ncclCommCount(nullptr, nullptr) == ncclInvalidArgument, "null was accepted");
    }));
}

} // namespace
} // namespace ringside::test
