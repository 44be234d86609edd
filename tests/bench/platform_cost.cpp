// SPDX-License-Identifier: Apache-2.0
// What the CPU platform itself costs: how far modelled work overshoots its time, and what an emulated
// all-reduce takes in wall and CPU time, which is the floor under every modelled collective. Figures, never
// verdicts. Usage: platform_cost [ALL_REDUCE_BYTES]
#include "platform.h"

#include <cuda_runtime_api.h>
#include <nccl.h>

#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <string>
#include <thread>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;
namespace platform = ringside::platform;

double microseconds(Clock::duration time)
{
    return std::chrono::duration<double, std::micro>(time).count();
}

void require(bool good, const char* what)
{
    if (!good) {
        std::fprintf(stderr, "platform_cost: %s failed\n", what);
        std::_Exit(1);
    }
}

/// Runs `body` in `count` processes; the children's CPU time in microseconds.
template <class Body>
double inProcesses(int count, const Body& body)
{
    for (int index = 0; index < count; ++index) {
        if (fork() == 0) {
            body(index);
            std::_Exit(0);
        }
    }
    double cpu = 0;
    for (int index = 0; index < count; ++index) {
        int status = 0;
        rusage usage{};
        require(wait4(-1, &status, 0, &usage) > 0 && status == 0, "a process of the benchmark");
        for (const timeval& part : {usage.ru_utime, usage.ru_stime})
            cpu += static_cast<double>(part.tv_sec) * 1e6 + static_cast<double>(part.tv_usec);
    }
    return cpu;
}

/// `count` kernels of `nanoseconds` each on one stream, by events against the model.
void chain(int count, std::int64_t nanoseconds)
{
    inProcesses(1, [=](int) {
        cudaStream_t stream = nullptr;
        cudaEvent_t events[2] = {};
        require(cudaStreamCreate(&stream) == cudaSuccess, "cudaStreamCreate");
        for (cudaEvent_t& event : events)
            require(cudaEventCreate(&event) == cudaSuccess, "cudaEventCreate");
        platform::Work work{.name = "modelled", .run = [](void*, bool) {}, .arithmetic = true};
        work.cost.minimumNs = nanoseconds;
        cudaEventRecord(events[0], stream);
        for (int i = 0; i < count; ++i)
            require(ringside_platform_enqueue(stream, &work) == 0, "queueing work");
        cudaEventRecord(events[1], stream);
        cudaEventSynchronize(events[1]);
        float ms = 0;
        require(cudaEventElapsedTime(&ms, events[0], events[1]) == cudaSuccess, "cudaEventElapsedTime");
        const double modelled = static_cast<double>(nanoseconds) * count * 1e-6;
        std::printf("%5d kernels of %7.1f us: %8.3f ms, modelled %8.3f ms, %+.2f %%\n", count,
                    static_cast<double>(nanoseconds) * 1e-3, static_cast<double>(ms), modelled,
                    100 * (static_cast<double>(ms) / modelled - 1));
        std::fflush(stdout);
    });
}

/// A device model without a file that would have to be removed.
void useModel(const std::string& text)
{
    const int file = memfd_create("device_model", 0);
    require(file >= 0 && write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size()),
            "memfd_create");
    setenv("RINGSIDE_DEVICE_MODEL", ("/proc/self/fd/" + std::to_string(file)).c_str(), 1);
}

struct Board {
    std::atomic<bool> ready = false;
    ncclUniqueId id{};
    double meanUs = 0;
    double medianUs = 0;
};

void reduceRounds(Board& board, int rank, int ranks, std::size_t floats, int rounds)
{
    if (rank == 0) {
        require(ncclGetUniqueId(&board.id) == ncclSuccess, "ncclGetUniqueId");
        board.ready = true;
    }
    while (!board.ready)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    ncclComm_t comm = nullptr;
    cudaStream_t stream = nullptr;
    require(ncclCommInitRank(&comm, ranks, board.id, rank) == ncclSuccess, "ncclCommInitRank");
    require(cudaStreamCreate(&stream) == cudaSuccess, "cudaStreamCreate");
    std::vector<float> data(floats, 1.0F);
    std::vector<double> times;
    for (int round = 0; round < rounds; ++round) {
        const Clock::time_point start = Clock::now();
        require(ncclAllReduce(data.data(), data.data(), floats, ncclFloat32, ncclMax, comm, stream) ==
                    ncclSuccess,
                "ncclAllReduce");
        require(cudaStreamSynchronize(stream) == cudaSuccess, "cudaStreamSynchronize");
        times.push_back(microseconds(Clock::now() - start));
    }
    require(ncclCommDestroy(comm) == ncclSuccess, "ncclCommDestroy");
    if (rank != 0)
        return;
    for (const double time : times)
        board.meanUs += time / rounds;
    std::sort(times.begin(), times.end());
    board.medianUs = times[times.size() / 2];
}

void allReduces(int ranks, std::size_t bytes)
{
    constexpr int kRounds = 300;
    void* const memory =
        mmap(nullptr, sizeof(Board), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    require(memory != MAP_FAILED, "mmap");
    Board& board = *new (memory) Board;
    const double cpu = inProcesses(
        ranks, [&](int rank) { reduceRounds(board, rank, ranks, bytes / sizeof(float), kRounds); });
    std::printf("all-reduce of %zu bytes, %d ranks: mean %.0f us, median %.0f us, CPU %.0f us a rank\n",
                bytes, ranks, board.meanUs, board.medianUs, cpu / kRounds / ranks);
    munmap(memory, sizeof(Board));
}

} // namespace

int main(int argc, char** argv)
{
    useModel("flops = 1e12\n"); // makes the device's timeline count; links cost nothing but themselves
    chain(50, 20'000'000 / 50);
    chain(1000, 50'000);
    chain(5000, 10'000);
    const std::size_t bytes = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : std::size_t{144} << 10U;
    for (const int ranks : {2, 4, 8})
        allReduces(ranks, bytes);
    return 0;
}
