// SPDX-License-Identifier: Apache-2.0
// Built with a sanitizer's shared run time, which wants to be the first of the program's libraries.
#include "program.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <thread>
#include <vector>

namespace {

using ringside::harm::callCuda;

int callInThreads()
{
    constexpr int kThreads = 8;
    constexpr int kCalls = 50;
    std::mutex mutex;
    int worked = 0;
    std::vector<std::thread> threads;
    for (int i = 0; i < kThreads; ++i) {
        threads.emplace_back([&] {
            for (int call = 0; call < kCalls; ++call) {
                const bool works = callCuda();
                const std::scoped_lock lock(mutex);
                worked += works ? 1 : 0;
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    std::printf("%d calls worked\n", worked);
    return worked == kThreads * kCalls ? 0 : 1;
}

int callAndFork()
{
    const bool works = callCuda();
    std::fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        std::_Exit(std::malloc(100) != nullptr ? 7 : 8);
    }
    int status = 0;
    waitpid(child, &status, 0);
    std::printf("%d, the child ended with %d\n", works ? 1 : 0, WEXITSTATUS(status));
    return 0;
}

/// The run time finds these, and ends the program with an exit code of its own.
int lose()
{
    callCuda();
    std::printf("%d\n",
                std::malloc(1000) != nullptr ? 1 : 0); // NOLINT(clang-analyzer-unix.Malloc): is the point
    return 0;
}

int readBeyond()
{
    callCuda();
    auto* const bytes = static_cast<volatile char*>(std::malloc(8));
    return bytes[8 + (callCuda() ? 1 : 0)];
}

int race()
{
    int shared = 0;
    std::thread other([&] {
        for (int i = 0; i < 1000; ++i) {
            *static_cast<volatile int*>(&shared) = i;
            callCuda();
        }
    });
    for (int i = 0; i < 1000; ++i) {
        *static_cast<volatile int*>(&shared) = -i;
        callCuda();
    }
    other.join();
    return 0;
}

} // namespace

int main(int count, char** words)
{
    const char* const which = count > 1 ? words[1] : "";
    return std::strcmp(which, "threads") == 0  ? callInThreads()
           : std::strcmp(which, "fork") == 0   ? callAndFork()
           : std::strcmp(which, "lose") == 0   ? lose()
           : std::strcmp(which, "beyond") == 0 ? readBeyond()
           : std::strcmp(which, "race") == 0   ? race()
                                               : 2;
}
