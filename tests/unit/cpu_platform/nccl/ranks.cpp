// SPDX-License-Identifier: Apache-2.0
#include "ranks.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <new>
#include <thread>

#ifdef __SANITIZE_THREAD__
// Debian's libgloo is not instrumented: its reference counts, which keep a buffer until nobody signals it any
// more, are invisible to the sanitizer.
extern "C" __attribute__((visibility("default"))) const char* __tsan_default_suppressions()
{
    return "race:gloo::transport::tcp::UnboundBuffer\n";
}
// Ranks leave by _exit, which does not pass a report on.
extern "C" __attribute__((visibility("default"))) const char* __tsan_default_options()
{
    return "halt_on_error=1";
}
#endif

namespace ringside::test {
namespace {

constexpr std::size_t kMessageBytes = 1024;
constexpr auto kLifetime = std::chrono::seconds(60);

/// What the ranks' processes share.
struct Board {
    std::atomic<bool> idReady = false;
    ncclUniqueId id{};
    std::atomic<int> meetings = 0;
    char messages[16][kMessageBytes] = {};
};

Board* newBoard()
{
    void* const memory =
        ::mmap(nullptr, sizeof(Board), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    check(memory != MAP_FAILED, "cannot map shared memory");
    return new (memory) Board;
}

ncclUniqueId shareId(Board& board, int rank)
{
    if (rank == 0) {
        succeed(ncclGetUniqueId(&board.id), "ncclGetUniqueId");
        board.idReady = true;
    }
    while (!board.idReady)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return board.id;
}

/// The whole life of a rank's process.
[[noreturn]] void live(Board& board, Rank self, Communicator communicator,
                       const std::function<void(Rank&)>& body)
{
    int code = 0;
    try {
        self.id = shareId(board, self.rank);
        check(cudaStreamCreate(&self.stream) == cudaSuccess, "cudaStreamCreate failed");
        if (communicator == Communicator::Connected)
            succeed(ncclCommInitRank(&self.comm, self.size, self.id, self.rank), "ncclCommInitRank");
        body(self);
        if (communicator == Communicator::Connected)
            succeed(ncclCommDestroy(self.comm), "ncclCommDestroy");
    } catch (const std::exception& error) {
        const std::string text = error.what();
        std::copy_n(text.data(), std::min(text.size(), kMessageBytes - 1), board.messages[self.rank]);
        code = 1;
    }
    ::_exit(code);
}

Ending await(pid_t process, std::chrono::steady_clock::time_point deadline)
{
    int status = 0;
    while (::waitpid(process, &status, WNOHANG) == 0) {
        if (std::chrono::steady_clock::now() > deadline) {
            ::kill(process, SIGKILL);
            ::waitpid(process, &status, 0);
            return {.exitCode = -1, .message = "still running after the test's time: hung"};
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    if (WIFSIGNALED(status))
        return {.exitCode = -1, .message = "killed by signal " + std::to_string(WTERMSIG(status))};
    return {.exitCode = WEXITSTATUS(status), .message = {}};
}

} // namespace

void Rank::synchronise() const
{
    check(cudaStreamSynchronize(stream) == cudaSuccess, "cudaStreamSynchronize failed");
}

void Rank::meet() const
{
    const int number = (*meetings)++ / size; // the how-manieth meeting this is
    while (*meetings < (number + 1) * size)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

std::vector<Ending> startRanks(int size, Communicator communicator, const std::function<void(Rank&)>& body)
{
    Board* const board = newBoard();
    std::vector<pid_t> processes;
    for (int rank = 0; rank < size; ++rank) {
        const pid_t process = ::fork();
        check(process >= 0, "fork failed");
        if (process == 0)
            live(*board, Rank{.rank = rank, .size = size, .meetings = &board->meetings}, communicator, body);
        processes.push_back(process);
    }
    const auto deadline = std::chrono::steady_clock::now() + kLifetime;
    std::vector<Ending> endings;
    for (std::size_t rank = 0; rank < processes.size(); ++rank) {
        endings.push_back(await(processes[rank], deadline));
        if (endings.back().message.empty())
            endings.back().message = board->messages[rank];
    }
    ::munmap(board, sizeof(Board));
    return endings;
}

testing::AssertionResult allEndedWell(const std::vector<Ending>& endings)
{
    testing::AssertionResult result = testing::AssertionSuccess();
    for (std::size_t rank = 0; rank < endings.size(); ++rank)
        if (endings[rank].exitCode != 0)
            result = testing::AssertionFailure() << result.message() << "rank " << rank << " of "
                                                 << endings.size() << ": " << endings[rank].message << '\n';
    return result;
}

testing::AssertionResult ranksEndWell(int size, const std::function<void(Rank&)>& body)
{
    return allEndedWell(startRanks(size, Communicator::Connected, body));
}

} // namespace ringside::test
