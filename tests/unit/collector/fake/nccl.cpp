// SPDX-License-Identifier: Apache-2.0
// A libnccl.so.2 for the collector's own tests: answers, calls itself through the PLT as the real one does,
// moves no data.
#include "abi/nccl.h"

#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <vector>

#define FAKE_EXPORT extern "C" __attribute__((visibility("default"))) ncclResult_t

// What ncclCommCount and its like answer of a handle.
struct ncclComm {
    int size;
    int rank;
};

namespace {

struct Promise {
    ncclComm_t* place;
    ncclComm_t child;
};
std::vector<Promise> promised;
int groupDepth = 0;

ncclResult_t keepPromises()
{
    for (const Promise& promise : promised) {
        *promise.place = promise.child;
    }
    promised.clear();
    return ncclSuccess;
}

} // namespace

FAKE_EXPORT ncclGetVersion(int* version)
{
    *version = 22809;
    return ncclSuccess;
}
FAKE_EXPORT ncclGetUniqueId(ncclUniqueId* id)
{
    *id = {};
    id->internal[0] = 42;
    return ncclSuccess;
}
FAKE_EXPORT ncclCommInitRank(ncclComm_t* comm, int size, ncclUniqueId, int rank)
{
    *comm = new ncclComm{size, rank};
    return ncclSuccess;
}
FAKE_EXPORT ncclCommInitRankConfig(ncclComm_t* comm, int size, ncclUniqueId id, int rank, ncclConfig_t*)
{
    return ncclCommInitRank(comm, size, id, rank);
}
FAKE_EXPORT ncclCommGrow(ncclComm_t parent, int size, const ncclUniqueId*, int rank, ncclComm_t* grown,
                         ncclConfig_t*)
{
    *grown = new ncclComm{size, parent != nullptr ? parent->rank : rank};
    return ncclSuccess;
}
FAKE_EXPORT ncclCommRevoke(ncclComm_t, int)
{
    return ncclSuccess;
}
// As in the real one, handles of children come with the end of a group, and those of a non-blocking
// communicator (here: a colour of 100 or more) when it is asked whether it is ready; from 200 on never.
FAKE_EXPORT ncclCommSplit(ncclComm_t parent, int color, int, ncclComm_t* child, ncclConfig_t*)
{
    constexpr int kLater = 100;
    constexpr int kNever = 200;
    *child = nullptr;
    if (color >= 0 && color < kNever) {
        promised.push_back({child, new ncclComm{parent->size / 2, parent->rank / 2}});
    }
    if (color >= kLater) {
        return ncclInProgress;
    }
    return groupDepth == 0 ? keepPromises() : ncclSuccess;
}
FAKE_EXPORT ncclCommGetAsyncError(ncclComm_t, ncclResult_t* result)
{
    return *result = keepPromises();
}
FAKE_EXPORT ncclCommDestroy(ncclComm_t comm)
{
    delete comm;
    return ncclSuccess;
}
FAKE_EXPORT ncclCommCount(const ncclComm_t comm, int* count)
{
    *count = comm->size;
    return ncclSuccess;
}
FAKE_EXPORT ncclCommUserRank(const ncclComm_t comm, int* rank)
{
    *rank = comm->rank;
    return ncclSuccess;
}
FAKE_EXPORT ncclCommCuDevice(const ncclComm_t, int* device)
{
    *device = 0;
    return ncclSuccess;
}
FAKE_EXPORT ncclAllReduce(const void*, void*, size_t count, ncclDataType_t, ncclRedOp_t, ncclComm_t,
                          cudaStream_t)
{
    constexpr size_t kForever = 666; // a count that never returns: for the in-flight slot
    if (count == kForever) {
        pause();
    }
    constexpr size_t kInterrupted = 667; // a signal comes while it runs
    if (count == kInterrupted) {
        raise(SIGUSR1);
    }
    errno = static_cast<int>(count);
    return count == 5 ? ncclInvalidUsage : ncclSuccess;
}
FAKE_EXPORT ncclAllReduceConfig(const void*, void*, size_t, ncclDataType_t, ncclRedOp_t, ncclComm_t,
                                cudaStream_t, const ncclCollConfig_t* config)
{
    return config == nullptr ? ncclInvalidUsage : ncclSuccess;
}
FAKE_EXPORT ncclPutSignal(const void*, size_t, ncclDataType_t, int, ncclWindow_t, size_t, int, int, unsigned,
                          ncclComm_t, cudaStream_t)
{
    return ncclSuccess;
}
FAKE_EXPORT ncclSignal(int, int, int, unsigned, ncclComm_t, cudaStream_t)
{
    return ncclSuccess;
}
FAKE_EXPORT ncclWaitSignal(int, ncclWaitSignalDesc_t*, ncclComm_t, cudaStream_t)
{
    return ncclSuccess;
}
FAKE_EXPORT ncclBroadcast(const void*, void*, size_t, ncclDataType_t, int, ncclComm_t, cudaStream_t)
{
    return ncclSuccess;
}
FAKE_EXPORT ncclBcast(void* buffer, size_t count, ncclDataType_t type, int root, ncclComm_t comm,
                      cudaStream_t stream)
{
    return ncclBroadcast(buffer, buffer, count, type, root, comm, stream);
}
FAKE_EXPORT ncclGroupStart()
{
    ++groupDepth;
    return ncclSuccess;
}
FAKE_EXPORT ncclGroupEnd()
{
    return --groupDepth == 0 ? keepPromises() : ncclSuccess;
}
