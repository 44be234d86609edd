// SPDX-License-Identifier: Apache-2.0
// The program of sampled_test and of the tests of NVML and verbs: uses a GPU, then performs the work of its
// argument for some milliseconds. The same binary runs on the fakes and on the CPU platform.
#include "api.h"

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <map>
#include <string_view>
#include <thread>
#include <vector>

namespace {

void useGpu()
{
    void* memory = nullptr;
    cudaMalloc(&memory, 64);
    cudaFree(memory);
}

void wait(int ms)
{
    usleep(static_cast<useconds_t>(ms) * 1000);
}

long threads()
{
    return std::distance(std::filesystem::directory_iterator("/proc/self/task"),
                         std::filesystem::directory_iterator());
}

int waits(int ms)
{
    wait(ms);
    return 0;
}

int killed(int ms)
{
    wait(ms);
    std::raise(SIGKILL);
    return 0;
}

// The child says whether it has more threads than its own.
int forks(int ms)
{
    const pid_t child = fork();
    if (child == 0) {
        useGpu();
        wait(ms);
        std::exit(threads() == 1 ? 0 : 1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    wait(ms);
    return status;
}

// Two processes of a run, the second one ends later.
int ranks(int ms)
{
    const pid_t child = fork();
    useGpu();
    wait(child == 0 ? 2 * ms : ms);
    int status = 0;
    if (child != 0) {
        waitpid(child, &status, 0);
    }
    return status;
}

// More threads than CPUs, each has made a recorded call and is busy from then on.
int starves(int ms)
{
    std::atomic<bool> stop{false};
    std::vector<std::thread> threads;
    for (unsigned i = 0; i < 4 * std::thread::hardware_concurrency(); ++i) {
        threads.emplace_back([&stop] {
            useGpu();
            while (!stop) {
            }
        });
    }
    wait(ms);
    stop = true;
    for (std::thread& thread : threads) {
        thread.join();
    }
    return 0;
}

} // namespace

int main(int argc, char** argv)
{
    const std::map<std::string_view, int (*)(int)> scenarios{
        {"waits", waits}, {"killed", killed}, {"forks", forks}, {"starves", starves}, {"ranks", ranks}};
    const auto found = argc > 2 ? scenarios.find(argv[1]) : scenarios.end();
    if (found == scenarios.end()) {
        return 2;
    }
    if (found->first != "ranks") { // those begin for themselves
        useGpu();
    }
    const int result = found->second(std::atoi(argv[2]));
    std::puts("done");
    return result;
}
