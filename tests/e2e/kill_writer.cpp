// SPDX-License-Identifier: Apache-2.0
// The victim of the SIGKILL scenario: calls the CUDA runtime through whatever is preloaded, and counts every
// call that returned in a shared file that survives its death, with the time at which the last one began.
// Must not buffer them anywhere else. Each call carries its number where the trace has it, too: as the size
// of a set that is refused for its address.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>

extern "C" int cudaMemsetAsync(void* pointer, int value, std::size_t count, void* stream);

namespace {

struct Shared {
    std::atomic<std::uint64_t> returnedCalls;
    std::atomic<std::uint64_t> pid;
    std::atomic<std::uint64_t> lastStartNs; ///< CLOCK_MONOTONIC
};

Shared* mapShared(const char* path)
{
    const int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (file < 0 || ftruncate(file, sizeof(Shared)) != 0) {
        return nullptr;
    }
    void* const memory = mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    return memory == MAP_FAILED ? nullptr : static_cast<Shared*>(memory);
}

std::uint64_t nowNs()
{
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(now.tv_nsec);
}

void pause(long nanoseconds)
{
    const timespec duration{0, nanoseconds};
    nanosleep(&duration, nullptr);
}

} // namespace

/// kill_writer COUNTER_FILE CALLS_BEFORE_A_PAUSE; 0 never pauses. Runs until it is killed.
int main(int count, char** arguments)
{
    if (count != 3) {
        std::fprintf(stderr, "usage: kill_writer COUNTER_FILE CALLS_BEFORE_A_PAUSE\n");
        return 2;
    }
    Shared* const shared = mapShared(arguments[1]);
    if (shared == nullptr) {
        std::perror(arguments[1]);
        return 1;
    }
    const std::uint64_t burst = std::strtoull(arguments[2], nullptr, 10);
    shared->pid.store(static_cast<std::uint64_t>(getpid()));
    for (std::uint64_t call = 1;; ++call) {
        const std::uint64_t startNs = nowNs();
        cudaMemsetAsync(nullptr, 0, call, nullptr);
        shared->lastStartNs.store(startNs, std::memory_order_relaxed);
        shared->returnedCalls.store(call, std::memory_order_release);
        if (burst != 0 && call % burst == 0) {
            pause(1'000'000);
        }
    }
}
