// SPDX-License-Identifier: Apache-2.0
// The program of neighbour_test, on the CPU platform: work with and without another client of CUPTI
// (kineto.h). KIND is older or newer. Each further word is a part of the program: `wait` until the
// collector's device tier is on, `work` (20 kernels, copies and sets), `train` (such work, repeatedly, until
// the trace records a steady period), `start`, `stop` and `end` of the other client, `step`.
#include "../../cpu_platform/kernels.h"
#include "kineto.h"
#include "watch_trace.h"

#include <ringside/collector.h>

#include <cuda_runtime.h>

#include <dlfcn.h>
#include <sys/wait.h>
#include <time.h>

#include <cstdio>
#include <cstdlib>
#include <string>

namespace {

constexpr int kElements = 1000;
constexpr int kRounds = 20;

std::int64_t monotonicNs()
{
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1'000'000'000LL + now.tv_nsec;
}

bool work()
{
    float* values = nullptr;
    float* scratch = nullptr;
    cudaMalloc(&values, kElements * sizeof(float));
    cudaMalloc(&scratch, kElements * sizeof(float));
    for (int round = 0; round < kRounds; ++round) {
        ringside::test::launchScale(values, 1.5F, kElements, nullptr);
        cudaMemcpyAsync(scratch, values, kElements * sizeof(float), cudaMemcpyDeviceToDevice, nullptr);
        cudaMemsetAsync(scratch, 0, 64, nullptr);
    }
    const bool worked = cudaDeviceSynchronize() == cudaSuccess;
    cudaFree(values);
    cudaFree(scratch);
    return worked;
}

// Until CUPTI was switched on after `sinceNs` and is on.
bool waitUntilOn(std::int64_t sinceNs)
{
    if (std::getenv("LD_PRELOAD") == nullptr)
        return true;
    const pid_t watcher = ringside::test::watchFor(
        "SELECT 1 FROM tier WHERE tier = 'device' AND active AND end_ns IS NULL AND start_ns > " +
        std::to_string(sinceNs));
    int status = 0;
    return waitpid(watcher, &status, 0) == watcher && status == 0;
}

bool trainUntilSteady()
{
    const pid_t watcher =
        ringside::test::watchFor("SELECT 1 FROM window WHERE why LIKE '%steady period was seen%'");
    int status = 0;
    while (waitpid(watcher, &status, WNOHANG) == 0) {
        if (!work())
            return false;
        usleep(20'000);
    }
    return status == 0;
}

} // namespace

int main(int count, char** words)
{
    // As Python loads what it imports: its libcupti is not among the program's own libraries.
    void* const library = dlopen(KINETO, RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
        std::printf("%s\n", dlerror());
        return 1;
    }
    const auto start = reinterpret_cast<decltype(&kinetoStart)>(dlsym(library, "kinetoStart"));
    const auto stop = reinterpret_cast<decltype(&kinetoStop)>(dlsym(library, "kinetoStop"));
    const auto end = reinterpret_cast<decltype(&kinetoEnd)>(dlsym(library, "kinetoEnd"));
    std::int64_t stoppedNs = 0;
    std::int64_t step = 0;
    float* first = nullptr;
    cudaMalloc(&first, sizeof(float)); // recording begins with the first call
    for (int index = 2; index < count; ++index) {
        const std::string word = words[index];
        if (word == "start")
            start(words[1]);
        else if (word == "stop")
            stop();
        else if (word == "end")
            end();
        else if (word == "step")
            RINGSIDE_STEP_BEGIN(++step);
        else if (word == "train" && !trainUntilSteady())
            return 3;
        else if (word == "wait" ? !waitUntilOn(stoppedNs) : word == "work" && !work())
            return 2;
        if (word == "stop")
            stoppedNs = monotonicNs();
    }
    cudaFree(first);
    std::printf("done\n");
    return 0;
}
