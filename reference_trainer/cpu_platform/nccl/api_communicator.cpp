// SPDX-License-Identifier: Apache-2.0
// The public functions about communicators, errors and memory.
#include "api.h"
#include "communicator.h"
#include "rendezvous_server.h"

#include <cuda_runtime_api.h>

#include <array>

using ringside::nccl::communicatorOf;
using ringside::nccl::Failure;
using ringside::nccl::guarded;
using ringside::nccl::require;

namespace {

constexpr unsigned kConfigMagic = 0xcafebeef;

void checkCuda(cudaError_t error, const char* what)
{
    if (error != cudaSuccess)
        throw Failure(ncclUnhandledCudaError, std::string(what) + ": CUDA error " + std::to_string(error));
}

/// Communicators of a group are made at once, one after the other: ranks of one communicator must live in
/// different threads or processes.
void initialise(ncclComm_t* comm, int nranks, const ncclUniqueId& commId, int rank)
{
    require(comm != nullptr, "the place for the communicator is null");
    *comm = nullptr;
    require(nranks >= 1 && rank >= 0 && rank < nranks, "rank must be at least 0 and less than nranks");
    int device = 0;
    checkCuda(cudaGetDevice(&device), "cudaGetDevice");
    *comm = new ncclComm{
        std::make_shared<ringside::nccl::Communicator>(ringside::nccl::decode(commId), rank, nranks, device)};
}

} // namespace

RINGSIDE_NCCL_API(ncclResult_t, ncclGetVersion, int* version)
{
    return guarded([&] {
        require(version != nullptr, "version is null");
        *version = NCCL_VERSION_CODE;
    });
}

RINGSIDE_NCCL_API(ncclResult_t, ncclGetUniqueId, ncclUniqueId* uniqueId)
{
    return guarded([&] {
        require(uniqueId != nullptr, "uniqueId is null");
        *uniqueId = ringside::nccl::encode(ringside::nccl::startRendezvousServer());
    });
}

RINGSIDE_NCCL_API(ncclResult_t, ncclCommInitRank, ncclComm_t* comm, int nranks, ncclUniqueId commId, int rank)
{
    return guarded([&] { initialise(comm, nranks, commId, rank); });
}

RINGSIDE_NCCL_API(ncclResult_t, ncclCommInitRankConfig, ncclComm_t* comm, int nranks, ncclUniqueId commId,
                  int rank, ncclConfig_t* config)
{
    return guarded([&] {
        require(config == nullptr || config->magic == kConfigMagic,
                "config was not made by NCCL_CONFIG_INITIALIZER");
        initialise(comm, nranks, commId, rank);
    });
}

RINGSIDE_NCCL_API(ncclResult_t, ncclCommInitAll, ncclComm_t* comm, int ndev, const int* devlist)
{
    return guarded([&] {
        require(comm != nullptr && ndev >= 1, "ncclCommInitAll needs a place for at least one communicator");
        if (ndev > 1)
            throw Failure(ncclInvalidUsage,
                          "the emulated NCCL serves one device a process: start a process a rank");
        if (devlist != nullptr)
            checkCuda(cudaSetDevice(devlist[0]), "cudaSetDevice");
        ncclUniqueId id;
        ncclResult_t result = ncclGetUniqueId(&id);
        if (result == ncclSuccess)
            result = ncclCommInitRank(comm, 1, id, 0);
        if (result != ncclSuccess)
            throw Failure(result, ringside::nccl::lastError());
    });
}

RINGSIDE_NCCL_API(ncclResult_t, ncclCommFinalize, ncclComm_t comm)
{
    return guarded([&] { communicatorOf(comm)->finalize(); });
}

RINGSIDE_NCCL_API(ncclResult_t, ncclCommDestroy, ncclComm_t comm)
{
    return guarded([&] {
        if (comm == nullptr)
            return;
        comm->communicator->finalize();
        delete comm;
    });
}

RINGSIDE_NCCL_API(ncclResult_t, ncclCommAbort, ncclComm_t comm)
{
    return guarded([&] {
        if (comm == nullptr)
            return;
        comm->communicator->abort();
        delete comm;
    });
}

RINGSIDE_NCCL_API(ncclResult_t, ncclCommGetAsyncError, ncclComm_t comm, ncclResult_t* asyncError)
{
    return guarded([&] {
        require(asyncError != nullptr, "asyncError is null");
        *asyncError = communicatorOf(comm)->asyncError();
    });
}

// const ncclComm_t is a const pointer: the vendor's spelling.
RINGSIDE_NCCL_API(ncclResult_t, ncclCommCount, const ncclComm_t comm, int* count)
{
    return guarded([&] {
        require(count != nullptr, "count is null");
        *count = communicatorOf(comm)->size();
    });
}

RINGSIDE_NCCL_API(ncclResult_t, ncclCommCuDevice, const ncclComm_t comm, int* device)
{
    return guarded([&] {
        require(device != nullptr, "device is null");
        *device = communicatorOf(comm)->device();
    });
}

RINGSIDE_NCCL_API(ncclResult_t, ncclCommUserRank, const ncclComm_t comm, int* rank)
{
    return guarded([&] {
        require(rank != nullptr, "rank is null");
        *rank = communicatorOf(comm)->rank();
    });
}

RINGSIDE_NCCL_API(const char*, ncclGetErrorString, ncclResult_t result)
{
    constexpr std::array<const char*, ncclNumResults> kTexts = {
        "no error",
        "unhandled cuda error",
        "unhandled system error",
        "internal error",
        "invalid argument",
        "invalid usage",
        "remote process exited or there was a network error",
        "NCCL operation in progress"};
    const auto index = static_cast<std::size_t>(result);
    return index < kTexts.size() ? kTexts[index] : "unknown result code";
}

RINGSIDE_NCCL_API(const char*, ncclGetLastError, ncclComm_t)
{
    return ringside::nccl::lastError();
}

RINGSIDE_NCCL_API(ncclResult_t, ncclMemAlloc, void** ptr, size_t size)
{
    return guarded([&] { checkCuda(cudaMalloc(ptr, size), "cudaMalloc"); });
}

RINGSIDE_NCCL_API(ncclResult_t, ncclMemFree, void* ptr)
{
    return guarded([&] { checkCuda(cudaFree(ptr), "cudaFree"); });
}

// Registration changes nothing here: all memory is reachable by the transport. A handle must not be null.
RINGSIDE_NCCL_API(ncclResult_t, ncclCommRegister, const ncclComm_t comm, void* buff, size_t, void** handle)
{
    return guarded([&] {
        require(communicatorOf(comm) != nullptr && handle != nullptr, "handle is null");
        *handle = buff;
    });
}

RINGSIDE_NCCL_API(ncclResult_t, ncclCommDeregister, const ncclComm_t comm, void*)
{
    return guarded([&] { require(communicatorOf(comm) != nullptr, "the communicator is null"); });
}
