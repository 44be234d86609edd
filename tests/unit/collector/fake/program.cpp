// SPDX-License-Identifier: Apache-2.0
// The program that is recorded in preload_test: one scenario an argument. Prints what it sees, so that a run
// with and a run without the collector can be compared byte by byte.
#include "api.h"

#include <ringside/collector.h>

#include <dlfcn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string_view>
#include <thread>

using ringside::test::communicator;
using ringside::test::reduce;

namespace {

int calls()
{
    ncclComm_t comm = communicator();
    for (size_t count = 1; count <= 10; ++count) {
        errno = 0;
        const int result = reduce(comm, count);
        std::printf("%zu: result %d errno %d\n", count, result, errno);
    }
    ncclBcast(nullptr, 16, ncclFloat32, 2, comm, reinterpret_cast<cudaStream_t>(0x1000));
    ncclGroupStart();
    ncclGroupStart();
    reduce(comm, 100);
    reduce(comm, 200);
    ncclGroupEnd();
    ncclGroupEnd();
    ncclComm_t child = nullptr;
    ncclCommSplit(comm, 1, 0, &child, nullptr);
    reduce(child, 300);
    ncclCommDestroy(child);
    ncclCommDestroy(comm);
    return 0;
}

// A communicator, a stream and calls that recording sees only by their numbers, then some that it records.
int paused()
{
    RINGSIDE_PAUSE();
    ncclComm_t comm = communicator();
    reduce(comm, 1);
    cudaDeviceSynchronize();
    ncclGroupStart();
    RINGSIDE_RESUME(); // a group is recorded whole or not at all
    reduce(comm, 2);
    ncclGroupEnd();
    reduce(comm, 3);
    ncclGroupStart();
    RINGSIDE_PAUSE();
    reduce(comm, 4);
    ncclGroupEnd();
    reduce(comm, 5);
    RINGSIDE_RESUME();
    reduce(comm, 6);
    return 0;
}

// Children whose handles are not there when ncclCommSplit returns.
int lateChildren()
{
    ncclComm_t comm = communicator();
    ncclComm_t children[3] = {};
    ncclGroupStart();
    ncclCommSplit(comm, 1, 0, &children[0], nullptr);
    ncclCommSplit(comm, 2, 0, &children[1], nullptr);
    ncclGroupEnd();
    ncclCommSplit(comm, 100, 0, &children[2], nullptr);
    ncclResult_t result = ncclSuccess;
    ncclCommGetAsyncError(comm, &result);
    ncclComm_t none = nullptr;
    ncclCommSplit(comm, -1, 0, &none, nullptr);
    for (ncclComm_t child : children) {
        reduce(child, 300);
    }
    return 0;
}

// A split that fails later, and its variable used for another communicator.
int reusedPlace()
{
    ncclComm_t comm = communicator();
    ncclComm_t place = nullptr;
    ncclCommSplit(comm, 200, 0, &place, nullptr);
    place = communicator();
    ncclGroupStart();
    reduce(place, 100);
    ncclGroupEnd();
    return 0;
}

int cuda()
{
    void* memory = nullptr;
    char text[64] = "";
    cudaMalloc(&memory, 64);
    RINGSIDE_STEP_BEGIN(7);
    cudaMemcpyAsync(memory, text, sizeof text, cudaMemcpyHostToDevice,
                    reinterpret_cast<cudaStream_t>(0x2000));
    RINGSIDE_STEP_END();
    cudaDeviceSynchronize();
    cudaFree(memory);
    return 0;
}

// Streams of a device that is not the current one, and CUDA's own handle for the thread's stream.
int streams()
{
    ncclComm_t comm = nullptr;
    ncclUniqueId id{};
    cudaSetDevice(5);
    ncclCommInitRank(&comm, 8, id, 3);
    cudaSetDevice(4);
    auto* const ofDevice5 = reinterpret_cast<cudaStream_t>(0x1005);
    auto* const ofDevice6 = reinterpret_cast<cudaStream_t>(0x1006);
    auto* const perThread = reinterpret_cast<cudaStream_t>(0x2);
    char text[64] = "";
    ncclAllReduce(nullptr, nullptr, 1, ncclFloat32, ncclSum, comm, ofDevice5);
    cudaMemcpyAsync(text, text, sizeof text, cudaMemcpyHostToDevice, ofDevice6);
    ncclAllReduce(nullptr, nullptr, 2, ncclFloat32, ncclSum, comm, perThread);
    cudaMemcpyAsync(text, text, sizeof text, cudaMemcpyHostToDevice, perThread);
    std::thread([&] {
        char own[64] = "";
        cudaSetDevice(4);
        cudaMemcpyAsync(own, own, sizeof own, cudaMemcpyHostToDevice, perThread);
    }).join();
    return 0;
}

int missing()
{
    // The fake has no cudaMemset; the collector answers for it.
    auto* memset = reinterpret_cast<int (*)(void*, int, size_t)>(dlsym(RTLD_DEFAULT, "cudaMemset"));
    std::printf("cudaMemset: %d\n", memset != nullptr ? memset(nullptr, 0, 1) : -1);
    return 0;
}

int forks()
{
    ncclComm_t comm = communicator();
    reduce(comm, 1);
    const pid_t child = fork();
    if (child == 0) {
        reduce(comm, 2);
        std::exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    reduce(comm, 3);
    std::printf("child status %d\n", status);
    return 0;
}

int forksFirst()
{
    const pid_t child = fork();
    if (child == 0) {
        reduce(communicator(), 2);
        std::exit(0);
    }
    waitpid(child, nullptr, 0);
    return 0;
}

int threads()
{
    ncclComm_t comm = communicator();
    for (int round = 0; round < 50; ++round) {
        std::thread([comm] { reduce(comm, 1); }).join();
        std::thread([comm] { reduce(comm, 2); }).join();
    }
    return 0;
}

// Threads one after the other, so that they share a ring; with a small one each overruns it.
int overrun()
{
    ncclComm_t comm = communicator();
    for (int thread = 0; thread < 6; ++thread) {
        std::thread([comm] {
            for (int index = 0; index < 20000; ++index) {
                reduce(comm, 1);
            }
        }).join();
        usleep(20000); // the ring is handed on when it was read
    }
    return 0;
}

int many()
{
    ncclComm_t comm = communicator();
    std::thread other([comm] {
        for (int index = 0; index < 200000; ++index) {
            reduce(comm, 1);
        }
    });
    for (int index = 0; index < 200000; ++index) {
        cudaDeviceSynchronize();
    }
    other.join();
    return 0;
}

// More than the ring held once, before the drain thread can have done anything.
int burst()
{
    ncclComm_t comm = communicator();
    for (int index = 0; index < 30000; ++index) {
        reduce(comm, 1);
    }
    return 0;
}

// At most 100,000 calls a second, from the first moment on.
int paced()
{
    ncclComm_t comm = communicator();
    for (int part = 0; part < 1500; ++part) {
        for (int index = 0; index < 100; ++index) {
            reduce(comm, 1);
        }
        usleep(1000);
    }
    return 0;
}

int killed()
{
    ncclComm_t comm = communicator();
    for (int index = 0; index < 1000; ++index) {
        reduce(comm, 1);
    }
    std::raise(SIGKILL);
    return 0;
}

// After what came before is in the database.
int killedInPause()
{
    reduce(communicator(), 1);
    usleep(600'000);
    RINGSIDE_PAUSE();
    std::raise(SIGKILL);
    return 0;
}

int hangs()
{
    ncclComm_t comm = communicator();
    reduce(comm, 1);
    alarm(1);
    reduce(comm, 666);
    return 0;
}

// Whether the collector asks for this process's stacks, as it does while it sees a hang. Waits until it is
// so.
void awaitRequest(bool there)
{
    constexpr int kLongestSeconds = 60;
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(kLongestSeconds);
    for (bool found = !there; found != there && std::chrono::steady_clock::now() < until; usleep(10000)) {
        found = false;
        for (const auto& entry : std::filesystem::directory_iterator(std::getenv("RINGSIDE_DIR"))) {
            found = found || entry.path().extension() == ".hang";
        }
    }
}

int goesOn()
{
    std::signal(SIGUSR1, [](int) {});
    ncclComm_t comm = communicator();
    reduce(comm, 1);
    std::thread helper([waiting = pthread_self()] {
        awaitRequest(true);
        pthread_kill(waiting, SIGUSR1);
    });
    reduce(comm, 666); // until the signal
    helper.join();
    awaitRequest(false);
    return 0;
}

int diesHanging()
{
    ncclComm_t comm = communicator();
    reduce(comm, 1);
    std::thread([] {
        awaitRequest(true);
        std::raise(SIGKILL);
    }).detach();
    reduce(comm, 666);
    return 0;
}

int computes()
{
    ncclComm_t comm = communicator();
    for (int step = 0; step < 60;
         ++step) { // a rhythm, for which more than 8 of the collector's passes see it
        reduce(comm, 1);
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    awaitRequest(true);
    reduce(comm, 2);
    awaitRequest(false);
    return 0;
}

int fileLimit()
{
    const rlimit limit{100000, 100000};
    setrlimit(RLIMIT_FSIZE, &limit);
    return calls();
}

int nothing()
{
    return 3;
}

int silent()
{
    reduce(communicator(), 1);
    _exit(4);
}

} // namespace

int main(int argc, char** argv)
{
    const std::map<std::string_view, int (*)()> scenarios{
        {"calls", calls},
        {"paused", paused},
        {"late_children", lateChildren},
        {"reused_place", reusedPlace},
        {"streams", streams},
        {"cuda", cuda},
        {"missing", missing},
        {"forks", forks},
        {"forks_first", forksFirst},
        {"threads", threads},
        {"many", many},
        {"overrun", overrun},
        {"burst", burst},
        {"paced", paced},
        {"killed", killed},
        {"killed_in_pause", killedInPause},
        {"hangs", hangs},
        {"goes_on", goesOn},
        {"dies_hanging", diesHanging},
        {"computes", computes},
        {"file_limit", fileLimit},
        {"nothing", nothing},
        {"silent", silent},
    };
    const auto found = argc > 1 ? scenarios.find(argv[1]) : scenarios.end();
    return found != scenarios.end() ? found->second() : 2;
}
