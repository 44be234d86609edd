// SPDX-License-Identifier: Apache-2.0
// The program of graphs_test, on the CPU platform: two ranks in one process reduce once, capture a kernel, a
// reduction and a group of two calls, launch them LAUNCHES times, and reduce once more. Prints the results.
#include "../../cpu_platform/kernels.h"
#include "watch_trace.h"

#include <cuda_runtime.h>
#include <nccl.h>

#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <cstdlib>

namespace {

constexpr int kRanks = 2;
constexpr int kElements = 1000;

struct Rank {
    ncclComm_t communicator;
    cudaStream_t stream;
    float* values;
    float* others;
    cudaGraphExec_t graph;
};
using Ranks = std::array<Rank, kRanks>;

void require(int error, const char* what)
{
    if (error != 0) {
        std::printf("%s failed: %d\n", what, error);
        std::exit(1);
    }
}

template <class Call>
void onEach(Ranks& ranks, Call&& call)
{
    for (int device = 0; device < kRanks; ++device) {
        require(cudaSetDevice(device), "cudaSetDevice");
        call(ranks[static_cast<std::size_t>(device)]);
    }
}

void reduce(Ranks& ranks)
{
    require(ncclGroupStart(), "ncclGroupStart");
    onEach(ranks, [](Rank& rank) {
        require(ncclAllReduce(rank.values, rank.values, kElements, ncclFloat, ncclSum, rank.communicator,
                              rank.stream),
                "ncclAllReduce");
    });
    require(ncclGroupEnd(), "ncclGroupEnd");
}

void reduceAndBroadcastOthers(Ranks& ranks)
{
    require(ncclGroupStart(), "ncclGroupStart");
    onEach(ranks, [](Rank& rank) {
        require(
            ncclAllReduce(rank.others, rank.others, 10, ncclFloat, ncclSum, rank.communicator, rank.stream),
            "ncclAllReduce");
        require(ncclBroadcast(rank.others, rank.others, 20, ncclFloat, 0, rank.communicator, rank.stream),
                "ncclBroadcast");
    });
    require(ncclGroupEnd(), "ncclGroupEnd");
}

void capture(Ranks& ranks)
{
    onEach(ranks, [](Rank& rank) {
        require(cudaStreamBeginCapture(rank.stream, cudaStreamCaptureModeThreadLocal),
                "cudaStreamBeginCapture");
        require(ringside::test::launchScale(rank.values, 0.5F, kElements, rank.stream), "cudaLaunchKernel");
    });
    reduce(ranks);
    reduceAndBroadcastOthers(ranks);
    onEach(ranks, [](Rank& rank) {
        cudaGraph_t graph = nullptr;
        require(cudaStreamEndCapture(rank.stream, &graph), "cudaStreamEndCapture");
        require(cudaGraphInstantiate(&rank.graph, graph, 0), "cudaGraphInstantiate");
        require(cudaGraphDestroy(graph), "cudaGraphDestroy");
    });
}

} // namespace

int main(int, char** argv)
{
    const int launches = std::atoi(argv[1]);
    const pid_t watcher = ringside::test::watchTheTrace();
    Ranks ranks{};
    std::array<ncclComm_t, kRanks> communicators{};
    require(ncclCommInitAll(communicators.data(), kRanks, nullptr), "ncclCommInitAll");
    onEach(ranks, [&, next = communicators.begin()](Rank& rank) mutable {
        rank.communicator = *next++;
        require(cudaStreamCreate(&rank.stream), "cudaStreamCreate");
        require(cudaMalloc(&rank.values, kElements * sizeof(float)), "cudaMalloc");
        require(cudaMalloc(&rank.others, kElements * sizeof(float)), "cudaMalloc");
        for (int i = 0; i < kElements; ++i) // one address space on the CPU platform
            rank.values[i] = rank.others[i] = 1;
    });
    int status = 0;
    if (waitpid(watcher, &status, 0) != watcher || status != 0)
        return 2;
    reduce(ranks);
    capture(ranks);
    for (int launch = 0; launch < launches; ++launch)
        onEach(ranks,
               [](Rank& rank) { require(cudaGraphLaunch(rank.graph, rank.stream), "cudaGraphLaunch"); });
    reduce(ranks);
    onEach(ranks, [](Rank& rank) {
        require(cudaStreamSynchronize(rank.stream), "cudaStreamSynchronize");
        require(cudaGraphExecDestroy(rank.graph), "cudaGraphExecDestroy");
    });
    std::printf("reduced to %g and %g, last error %d\n", static_cast<double>(ranks[0].values[kElements - 1]),
                static_cast<double>(ranks[1].others[0]), cudaGetLastError());
    return 0;
}
