// SPDX-License-Identifier: Apache-2.0
// Uses an NCCL that it opens by itself, as ctypes does: no wrapper sees these calls. "lonely LIBRARY" calls
// without a communicator, which the real library answers also where there is no GPU; "ranks LIBRARY" makes
// two ranks, each a process, which really reduce on the CPU platform.
#include "abi/nccl.h"
#include "watch_trace.h"

#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace {

struct Nccl {
    ncclResult_t (*getUniqueId)(ncclUniqueId*);
    ncclResult_t (*commInitRank)(ncclComm_t*, int, ncclUniqueId, int);
    ncclResult_t (*commInitAll)(ncclComm_t*, int, const int*);
    ncclResult_t (*allReduce)(const void*, void*, size_t, ncclDataType_t, ncclRedOp_t, ncclComm_t,
                              cudaStream_t);
    ncclResult_t (*broadcast)(const void*, void*, size_t, ncclDataType_t, int, ncclComm_t, cudaStream_t);
    ncclResult_t (*groupStart)();
    ncclResult_t (*groupEnd)();
    ncclResult_t (*commDestroy)(ncclComm_t);
};

template <class F>
void find(void* library, const char* name, F*& function)
{
    function = reinterpret_cast<F*>(dlsym(library, name));
    if (function == nullptr) {
        std::fprintf(stderr, "no %s: %s\n", name, dlerror());
        std::exit(2);
    }
}

Nccl open(const char* path)
{
    void* const library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
        std::fprintf(stderr, "%s\n", dlerror());
        std::exit(2);
    }
    Nccl nccl{};
    find(library, "ncclGetUniqueId", nccl.getUniqueId);
    find(library, "ncclCommInitRank", nccl.commInitRank);
    find(library, "ncclCommInitAll", nccl.commInitAll);
    find(library, "ncclAllReduce", nccl.allReduce);
    find(library, "ncclBroadcast", nccl.broadcast);
    find(library, "ncclGroupStart", nccl.groupStart);
    find(library, "ncclGroupEnd", nccl.groupEnd);
    find(library, "ncclCommDestroy", nccl.commDestroy);
    return nccl;
}

int lonely(const Nccl& nccl)
{
    ncclComm_t comm = nullptr;
    std::printf("init %d\n", nccl.commInitAll(&comm, 1, nullptr));
    std::printf("reduce %d\n",
                nccl.allReduce(nullptr, nullptr, 1024, ncclFloat32, ncclSum, nullptr, nullptr));
    return 0;
}

using Malloc = int(void**, size_t);
using Synchronize = int();

int rank(const Nccl& nccl, const ncclUniqueId& id, int number)
{
    const pid_t watcher = ringside::test::watchTheTrace("-" + std::to_string(getpid()) + ".db");
    auto* const allocate = reinterpret_cast<Malloc*>(dlsym(RTLD_DEFAULT, "cudaMalloc"));
    auto* const synchronize = reinterpret_cast<Synchronize*>(dlsym(RTLD_DEFAULT, "cudaDeviceSynchronize"));
    ncclComm_t comm = nullptr;
    void* memory = nullptr;
    if (nccl.commInitRank(&comm, 2, id, number) != ncclSuccess || allocate == nullptr ||
        allocate(&memory, 8192) != 0) {
        return 1;
    }
    int failed = 0;
    waitpid(watcher, &failed, 0); // the device tier is on
    for (size_t count = 1; count <= 3; ++count) {
        failed += nccl.allReduce(memory, memory, 256 * count, ncclFloat32, ncclSum, comm, nullptr);
    }
    nccl.groupStart();
    failed += nccl.broadcast(memory, memory, 100, ncclFloat32, 1, comm, nullptr);
    failed += nccl.allReduce(memory, memory, 50, ncclFloat32, ncclSum, comm, nullptr);
    failed += nccl.groupEnd();
    failed += synchronize();
    failed += nccl.commDestroy(comm);
    return failed != 0 ? 1 : 0;
}

int ranks(const char* path)
{
    int ends[2] = {};
    if (pipe(ends) != 0) {
        return 2;
    }
    const pid_t other = fork();
    ncclUniqueId id{};
    if (other == 0) {
        const bool got = read(ends[0], &id, sizeof id) == ssize_t{sizeof id};
        return got ? rank(open(path), id, 1) : 2;
    }
    const Nccl nccl = open(path);
    nccl.getUniqueId(&id);
    const bool told = write(ends[1], &id, sizeof id) == ssize_t{sizeof id};
    const int failed = told ? rank(nccl, id, 0) : 2;
    int status = 0;
    waitpid(other, &status, 0);
    return failed != 0 || status != 0 ? 1 : 0;
}

} // namespace

int main(int argc, char** argv)
{
    if (argc < 3) {
        return 2;
    }
    return std::string_view(argv[1]) == "ranks" ? ranks(argv[2]) : lonely(open(argv[2]));
}
