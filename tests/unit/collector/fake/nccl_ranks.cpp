// SPDX-License-Identifier: Apache-2.0
// The program of profiler_platform_test and event_timing_test: two ranks in one process on the CPU platform's
// NCCL, which loads the collector as its profiler plugin. Arguments are scenes that run in order. "dlsym"
// makes the following scenes bypass the wrappers; "watch" (or "watch_events") as the first one waits for the
// device tier (or the CUDA events). Prints the results of the ranks at the end.
#include "watch_trace.h"

#include <cuda_runtime.h>
#include <nccl.h>

#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <thread>

namespace {

constexpr int kRanks = 2;
constexpr std::size_t kElements = 1000;

void require(bool condition, const char* what)
{
    if (!condition) {
        std::fprintf(stderr, "failed: %s\n", what);
        std::exit(1);
    }
}

// The functions of NCCL, by the wrappers or past them.
struct Nccl {
    decltype(&ncclCommInitAll) initAll = &ncclCommInitAll;
    decltype(&ncclCommDestroy) destroy = &ncclCommDestroy;
    decltype(&ncclCommAbort) abort = &ncclCommAbort;
    decltype(&ncclAllReduce) allReduce = &ncclAllReduce;
    decltype(&ncclBroadcast) broadcast = &ncclBroadcast;
    decltype(&ncclAllGather) allGather = &ncclAllGather;
    decltype(&ncclAlltoAll) allToAll = &ncclAlltoAll;
    decltype(&ncclSend) send = &ncclSend;
    decltype(&ncclRecv) receive = &ncclRecv;
    decltype(&ncclGroupStart) groupStart = &ncclGroupStart;
    decltype(&ncclGroupEnd) groupEnd = &ncclGroupEnd;
    decltype(&ncclGetUniqueId) getUniqueId = &ncclGetUniqueId;
    decltype(&ncclCommInitRankConfig) initRankConfig = &ncclCommInitRankConfig;
    decltype(&ncclCommGetAsyncError) getAsyncError = &ncclCommGetAsyncError;

    void takePastWrappers()
    {
        void* const library = dlopen("libnccl.so.2", RTLD_NOW);
        require(library != nullptr, "dlopen of libnccl.so.2");
        const auto take = [library](auto& function, const char* name) {
            function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
            require(function != nullptr, name);
        };
        take(initAll, "ncclCommInitAll");
        take(destroy, "ncclCommDestroy");
        take(abort, "ncclCommAbort");
        take(allReduce, "ncclAllReduce");
        take(broadcast, "ncclBroadcast");
        take(allGather, "ncclAllGather");
        take(allToAll, "ncclAlltoAll");
        take(send, "ncclSend");
        take(receive, "ncclRecv");
        take(groupStart, "ncclGroupStart");
        take(groupEnd, "ncclGroupEnd");
        take(getUniqueId, "ncclGetUniqueId");
        take(initRankConfig, "ncclCommInitRankConfig");
        take(getAsyncError, "ncclCommGetAsyncError");
    }
};

struct Ranks {
    Nccl nccl;
    std::array<ncclComm_t, kRanks> communicators{};
    std::array<cudaStream_t, kRanks> streams{};
    std::array<float*, kRanks> from{};
    std::array<float*, kRanks> to{};

    Ranks()
    {
        for (std::size_t rank = 0; rank < kRanks; ++rank) {
            std::thread([this, rank] { prepare(rank); }).join(); // as each rank's own thread would
        }
    }
    void prepare(std::size_t rank)
    {
        cudaSetDevice(static_cast<int>(rank));
        cudaStreamCreate(&streams[rank]);
        cudaMalloc(reinterpret_cast<void**>(&from[rank]), kRanks * kElements * sizeof(float));
        cudaMalloc(reinterpret_cast<void**>(&to[rank]), kRanks * kElements * sizeof(float));
        for (std::size_t i = 0; i < kRanks * kElements; ++i) {
            from[rank][i] = static_cast<float>(rank + 1);
        }
    }
    void open()
    {
        require(nccl.initAll(communicators.data(), kRanks, nullptr) == ncclSuccess, "ncclCommInitAll");
    }
    /// Communicators whose calls return before NCCL has launched anything.
    void openNonBlocking()
    {
        ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
        config.blocking = 0;
        ncclUniqueId id{};
        require(nccl.getUniqueId(&id) == ncclSuccess, "ncclGetUniqueId");
        onThreads([&](std::size_t rank) {
            const ncclResult_t result =
                nccl.initRankConfig(&communicators[rank], kRanks, id, static_cast<int>(rank), &config);
            require(result == ncclInProgress && settles(result, rank), "ncclCommInitRankConfig");
        });
    }
    /// Waits for what a call has left in progress. True when it went well.
    [[nodiscard]] bool settles(ncclResult_t result, std::size_t rank) const
    {
        while (result == ncclInProgress) {
            usleep(100);
            nccl.getAsyncError(communicators[rank], &result);
        }
        return result == ncclSuccess;
    }
    [[nodiscard]] bool allSettle(ncclResult_t result) const
    {
        return settles(result, 0) && settles(result, 1);
    }
    void close()
    {
        for (ncclComm_t& communicator : communicators) {
            require(nccl.destroy(communicator) == ncclSuccess, "ncclCommDestroy");
        }
    }
    void synchronise()
    {
        for (cudaStream_t stream : streams) {
            cudaStreamSynchronize(stream);
        }
    }
    /// Each rank on a thread of its own, as calls outside of groups need it.
    template <class Body>
    void onThreads(Body&& body)
    {
        std::array<std::thread, kRanks> threads;
        for (std::size_t rank = 0; rank < kRanks; ++rank) {
            threads[rank] = std::thread([rank, &body] {
                cudaSetDevice(static_cast<int>(rank));
                body(rank);
            });
        }
        for (std::thread& thread : threads) {
            thread.join();
        }
        synchronise();
    }
    template <class Body>
    void inGroup(Body&& body)
    {
        nccl.groupStart();
        for (std::size_t rank = 0; rank < kRanks; ++rank) {
            body(rank);
        }
        require(allSettle(nccl.groupEnd()), "ncclGroupEnd");
        synchronise();
    }
    void allReduce(std::size_t rank, std::size_t count)
    {
        require(settles(nccl.allReduce(from[rank], to[rank], count, ncclFloat32, ncclSum, communicators[rank],
                                       streams[rank]),
                        rank),
                "ncclAllReduce");
    }
    void broadcast(std::size_t rank)
    {
        require(
            settles(nccl.broadcast(from[rank], to[rank], 10, ncclInt8, 1, communicators[rank], streams[rank]),
                    rank),
            "ncclBroadcast");
    }
};

/// More calls under way on each stream than there are events: a host function holds the stream up meanwhile.
void flood(Ranks& ranks)
{
    constexpr int kCalls = 2100;
    static std::atomic<int> issued{0};
    const auto hold = [](void*) {
        while (issued.load() < kRanks) {
            std::this_thread::yield();
        }
    };
    ranks.onThreads([&](std::size_t rank) {
        cudaLaunchHostFunc(ranks.streams[rank], hold, nullptr);
        for (int call = 0; call < kCalls; ++call) {
            ranks.allReduce(rank, 1);
        }
        ++issued;
    });
}

/// The thread's last error stays what it was, none or the program's own.
void keepLastError(Ranks& ranks)
{
    ranks.onThreads([&](std::size_t rank) {
        ranks.allReduce(rank, 8);
        require(cudaPeekAtLastError() == cudaSuccess, "no error");
        cudaSetDevice(99);
        ranks.allReduce(rank, 8);
        require(cudaPeekAtLastError() == cudaErrorInvalidDevice, "the program's error");
        require(cudaGetLastError() == cudaErrorInvalidDevice && cudaGetLastError() == cudaSuccess, "once");
    });
}

/// A call that NCCL refuses: nothing is launched.
void refusedCall(Ranks& ranks)
{
    const ncclResult_t result = ncclAllReduce(ranks.from[0], ranks.to[0], 9, ncclNumTypes, ncclSum,
                                              ranks.communicators[0], ranks.streams[0]);
    require(result == ncclInvalidArgument, "ncclInvalidArgument");
}

/// Ends what the collector may have on the device: events, streams, memory.
void resetSecondDevice(Ranks& ranks)
{
    cudaSetDevice(1);
    require(cudaDeviceReset() == cudaSuccess, "cudaDeviceReset");
    cudaMalloc(reinterpret_cast<void**>(&ranks.to[1]), sizeof(float));
    ranks.to[1][0] = 3;
    usleep(50'000); // whoever asks about the events asks now
}

void play(Ranks& ranks, std::string_view scene)
{
    if (scene == "dlsym") {
        ranks.nccl.takePastWrappers();
    } else if (scene == "open") {
        ranks.open();
    } else if (scene == "open_nonblocking") {
        ranks.openNonBlocking();
    } else if (scene == "close") {
        ranks.close();
    } else if (scene == "abort") {
        for (ncclComm_t& communicator : ranks.communicators) {
            ranks.nccl.abort(communicator);
        }
    } else if (scene == "abort_in_flight") { // rank 1 never comes
        ranks.allReduce(0, 3);
        play(ranks, "abort");
    } else if (scene == "single") {
        ranks.onThreads([&](std::size_t rank) { ranks.allReduce(rank, kElements); });
    } else if (scene == "several") {
        ranks.onThreads([&](std::size_t rank) {
            ranks.broadcast(rank);
            ranks.allReduce(rank, 7);
        });
    } else if (scene == "group") { // NCCL may enqueue in another order than that of the calls
        ranks.inGroup([&](std::size_t rank) {
            ranks.allReduce(rank, 5);
            ranks.broadcast(rank);
            ranks.allReduce(rank, 500);
        });
    } else if (scene == "capture") {
        for (cudaStream_t stream : ranks.streams) {
            require(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal) == cudaSuccess,
                    "cudaStreamBeginCapture");
        }
        ranks.nccl.groupStart();
        ranks.allReduce(0, 40);
        ranks.allReduce(1, 40);
        require(ranks.nccl.groupEnd() == ncclSuccess, "ncclGroupEnd");
        for (cudaStream_t stream : ranks.streams) {
            cudaGraph_t graph = nullptr;
            require(cudaStreamEndCapture(stream, &graph) == cudaSuccess, "cudaStreamEndCapture");
            cudaGraphDestroy(graph);
        }
    } else if (scene == "long_capture") { // in which whoever asks about an event breaks it, from any thread
        cudaGraph_t graph = nullptr;
        cudaStreamBeginCapture(ranks.streams[0], cudaStreamCaptureModeGlobal);
        usleep(1'200'000); // longer than an anchor is used
        require(cudaStreamEndCapture(ranks.streams[0], &graph) == cudaSuccess, "cudaStreamEndCapture");
        cudaGraphDestroy(graph);
    } else if (scene == "exchange") {
        ranks.inGroup([&](std::size_t rank) {
            const int peer = static_cast<int>(1 - rank);
            ranks.nccl.send(ranks.from[rank], 20, ncclFloat32, peer, ranks.communicators[rank],
                            ranks.streams[rank]);
            ranks.nccl.receive(ranks.to[rank], 20, ncclFloat32, peer, ranks.communicators[rank],
                               ranks.streams[rank]);
        });
    } else if (scene == "alltoall") {
        ranks.onThreads([&](std::size_t rank) {
            require(ranks.settles(ranks.nccl.allToAll(ranks.from[rank], ranks.to[rank], 30, ncclFloat32,
                                                      ranks.communicators[rank], ranks.streams[rank]),
                                  rank),
                    "ncclAlltoAll");
        });
    } else if (scene == "flood") {
        flood(ranks);
    } else if (scene == "error") {
        keepLastError(ranks);
    } else if (scene == "refused") {
        refusedCall(ranks);
    } else if (scene == "reset") {
        resetSecondDevice(ranks);
    } else if (scene == "legacy") {
        for (cudaStream_t& stream : ranks.streams) {
            stream = nullptr;
        }
        ranks.onThreads([&](std::size_t rank) { ranks.allReduce(rank, 6); });
    } else if (scene == "lost_stream") { // NCCL refuses the type before it asks CUDA anything
        cudaStreamDestroy(ranks.streams[0]);
        const ncclResult_t result = ranks.nccl.allReduce(ranks.from[0], ranks.to[0], 6, ncclNumTypes, ncclSum,
                                                         ranks.communicators[0], ranks.streams[0]);
        std::printf("result %d, last error %d\n", result, cudaPeekAtLastError());
    } else if (scene == "fork") {
        const pid_t child = fork();
        if (child == 0) {
            _exit(0);
        }
        int status = 0;
        require(waitpid(child, &status, 0) == child && status == 0, "the child");
    } else {
        require(false, scene.data());
    }
}

} // namespace

int main(int count, char** scenes)
{
    const std::string_view first = count > 1 ? scenes[1] : "";
    const bool watch = first.starts_with("watch");
    const pid_t watcher = // before CUDA has threads
        watch ? ringside::test::watchTheTrace(".db", first == "watch_events" ? "events" : "device") : 0;
    Ranks ranks;
    int status = 0;
    require(!watch || (waitpid(watcher, &status, 0) == watcher && status == 0), "the device tier");
    for (int index = watch ? 2 : 1; index < count; ++index) {
        play(ranks, scenes[index]);
    }
    std::printf("computed %g %g\n", static_cast<double>(ranks.to[0][0]), static_cast<double>(ranks.to[1][0]));
    return 0;
}
