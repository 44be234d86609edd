// SPDX-License-Identifier: Apache-2.0
// The program that is recorded in preload_test: one scenario an argument. Prints what it sees, so that a run
// with and a run without the collector can be compared byte by byte.
#include "abi/nccl.h"

#include <ringside/collector.h>

#include <dlfcn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string_view>
#include <thread>

extern "C" {
ncclResult_t ncclGetUniqueId(ncclUniqueId* id);
ncclResult_t ncclCommInitRank(ncclComm_t* comm, int size, ncclUniqueId id, int rank);
ncclResult_t ncclCommSplit(ncclComm_t comm, int color, int key, ncclComm_t* child, ncclConfig_t* config);
ncclResult_t ncclCommDestroy(ncclComm_t comm);
ncclResult_t ncclAllReduce(const void*, void*, size_t, ncclDataType_t, ncclRedOp_t, ncclComm_t, cudaStream_t);
ncclResult_t ncclBcast(void*, size_t, ncclDataType_t, int, ncclComm_t, cudaStream_t);
ncclResult_t ncclGroupStart();
ncclResult_t ncclGroupEnd();
cudaError_t cudaMalloc(void** pointer, size_t size);
cudaError_t cudaFree(void* pointer);
cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t size, cudaMemcpyKind kind,
                            cudaStream_t stream);
cudaError_t cudaDeviceSynchronize();
}

namespace {

ncclComm_t communicator()
{
    ncclUniqueId id{};
    ncclGetUniqueId(&id);
    ncclComm_t comm = nullptr;
    ncclCommInitRank(&comm, 8, id, 3);
    return comm;
}

int reduce(ncclComm_t comm, size_t count)
{
    return ncclAllReduce(nullptr, nullptr, count, ncclFloat32, ncclSum, comm, nullptr);
}

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

int killed()
{
    ncclComm_t comm = communicator();
    for (int index = 0; index < 1000; ++index) {
        reduce(comm, 1);
    }
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
        {"cuda", cuda},
        {"missing", missing},
        {"forks", forks},
        {"forks_first", forksFirst},
        {"threads", threads},
        {"many", many},
        {"killed", killed},
        {"hangs", hangs},
        {"file_limit", fileLimit},
        {"nothing", nothing},
        {"silent", silent},
    };
    const auto found = argc > 1 ? scenarios.find(argv[1]) : scenarios.end();
    return found != scenarios.end() ? found->second() : 2;
}
