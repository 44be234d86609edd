// SPDX-License-Identifier: Apache-2.0
// Public functions that create communicators.
#include "api.h"
#include "config.h"
#include "device_restored.h"
#include "group.h"
#include "init_log.h"
#include "nvtx_range.h"
#include "observation.h"
#include "rendezvous_server.h"
#include "split.h"

#include <cuda_runtime_api.h>

#include <set>
#include <utility>
#include <vector>

using namespace ringside::nccl;

namespace {

/// `line` holds the function, the rank and the number of ranks.
ncclResult_t initialise(InitLine line, ncclComm_t* comm, const ncclUniqueId& commId,
                        const ncclConfig_t* config)
{
    logVersion(line.rank);
    require(comm != nullptr, "the place for the communicator is null");
    *comm = nullptr;
    require(line.ranks >= 1 && line.rank >= 0 && line.rank < line.ranks,
            "rank must be at least 0 and less than nranks");
    checkCuda(cudaGetDevice(&line.device), "cudaGetDevice");
    const UniqueId id = decode(commId);
    const auto handle = std::make_shared<ncclComm>(wantsBlocking(config, true));
    const Place place{.rank = line.rank, .size = line.ranks, .device = line.device, .name = nameIn(config)};
    *comm = publish(handle);
    line.handle = *comm;
    line.hash = hashOf(id);
    try {
        submit({handle, [id, place, line] {
                    return announced(line, [&] { return std::make_shared<Communicator>(id, place); });
                }});
        return handle->blocking() || isGroupOpen() ? ncclSuccess : ncclInProgress;
    } catch (const Failure&) {
        withdraw(handle.get());
        *comm = nullptr;
        throw;
    }
}

/// Implements a public function that creates one rank's communicator.
ncclResult_t begin(NvtxFunction function, const InitLine& line, ncclComm_t* comm, const ncclUniqueId& commId,
                   const ncclConfig_t* config)
{
    NvtxRange range(function);
    const ncclResult_t result = guardedInGroup([&] { return initialise(line, comm, commId, config); });
    if (comm != nullptr && *comm != nullptr)
        range.endWith([&] {
            RankPayload payload{hashOf(*comm), line.ranks, line.rank, 0};
            (void)cudaGetDevice(&payload.device);
            return payload;
        });
    return result;
}

std::vector<int> devicesOf(int count, const int* list)
{
    require(count >= 0, "the number of devices is negative");
    int available = 0;
    checkCuda(cudaGetDeviceCount(&available), "cudaGetDeviceCount");
    std::vector<int> devices;
    std::set<int> seen;
    for (int i = 0; i < count; ++i) {
        devices.push_back(list != nullptr ? list[i] : i);
        require(devices.back() >= 0 && devices.back() < available, "there is no such device");
        if (!seen.insert(devices.back()).second)
            throw Failure(ncclInvalidUsage, "a device is in the list twice");
    }
    return devices;
}

/// The child exists, and the caller's variable is set, before the parent leaves the state in progress.
void splitOff(const std::shared_ptr<ncclComm>& parent, const std::shared_ptr<ncclComm>& child,
              SplitRequest request, ncclComm_t* place)
{
    const std::shared_ptr<Communicator> communicator = parent->communicator();
    request.parentHandle = parent.get();
    request.childHandle = child.get();
    parent->begin();
    submit({parent, [communicator, request, parent, child, place] {
                const auto made = split(*communicator, request);
                const bool wanted = made == nullptr || parent->unlessAbandoned([&] {
                    child->ready(made);
                    *place = publish(child);
                });
                if (!wanted)
                    made->abort();
                return communicator;
            }});
}

SplitPayload splitPayload(ncclComm_t parent, ncclComm_t child, int color, int key)
{
    const RankPayload of = rankPayload(parent);
    return {hashOf(child), of.communicator, of.ranks, of.rank, of.device, color, key};
}

} // namespace

RINGSIDE_NCCL_API(ncclResult_t, ncclGetUniqueId, ncclUniqueId* uniqueId)
{
    return guarded([&] {
        require(uniqueId != nullptr, "uniqueId is null");
        *uniqueId = encode(startRendezvousServer());
    });
}

RINGSIDE_NCCL_API(ncclResult_t, ncclCommInitRank, ncclComm_t* comm, int nranks, ncclUniqueId commId, int rank)
{
    return begin(NvtxFunction::CommInitRank, {.function = "ncclCommInitRank", .rank = rank, .ranks = nranks},
                 comm, commId, nullptr);
}

RINGSIDE_NCCL_API(ncclResult_t, ncclCommInitRankConfig, ncclComm_t* comm, int nranks, ncclUniqueId commId,
                  int rank, ncclConfig_t* config)
{
    return begin(NvtxFunction::CommInitRankConfig,
                 {.function = "ncclCommInitRankConfig", .rank = rank, .ranks = nranks}, comm, commId, config);
}

// One of the ids is enough, because all ranks know it; the real library uses several to start up faster.
RINGSIDE_NCCL_API(ncclResult_t, ncclCommInitRankScalable, ncclComm_t* newcomm, int nranks, int myrank,
                  int nId, ncclUniqueId* commIds, ncclConfig_t* config)
{
    if (nId <= 0 || nId > nranks || commIds == nullptr)
        return guarded([] { require(false, "there must be 1 to nranks ids"); });
    return begin(NvtxFunction::CommInitRankScalable,
                 {.function = "ncclCommInitRankScalable", .rank = myrank, .ranks = nranks}, newcomm,
                 commIds[0], config);
}

RINGSIDE_NCCL_API(ncclResult_t, ncclCommInitAll, ncclComm_t* comm, int ndev, const int* devlist)
{
    NvtxRange range(NvtxFunction::CommInitAll);
    return guarded([&] {
        require(comm != nullptr, "the place for the communicators is null");
        const DeviceRestored restored;
        const std::vector<int> devices = devicesOf(ndev, devlist);
        ncclUniqueId id;
        if (const ncclResult_t result = ncclGetUniqueId(&id); result != ncclSuccess)
            throw Failure::again(result, lastError()); // calls the public function, as the real library does
        startGroup();
        for (int i = 0; i < ndev; ++i)
            static_cast<void>(guardedInGroup([&] { // the end of the group reports the result
                checkCuda(cudaSetDevice(devices[static_cast<std::size_t>(i)]), "cudaSetDevice");
                return initialise({.function = "ncclCommInitAll", .rank = i, .ranks = ndev}, comm + i, id,
                                  nullptr);
            }));
        static_cast<void>(endGroup()); // blocking: success, or an exception
        if (ndev > 0)
            range.endWith([&] { return InitAllPayload{hashOf(comm[0]), ndev}; });
    });
}

RINGSIDE_NCCL_API(ncclResult_t, ncclCommSplit, ncclComm_t comm, int color, int key, ncclComm_t* newcomm,
                  ncclConfig_t* config)
{
    NvtxRange range(NvtxFunction::CommSplit);
    return guardedInGroup([&] {
        require(newcomm != nullptr, "the place for the communicator is null");
        const std::shared_ptr<ncclComm> parent = findHandle(comm);
        *newcomm = nullptr;
        const auto child = std::make_shared<ncclComm>(wantsBlocking(config, parent->blocking()));
        SplitRequest request = requestSplit(*parent->communicator(), color, key);
        request.name = nameIn(config);
        splitOff(parent, child, std::move(request), newcomm);
        if (*newcomm != nullptr)
            range.endWith([&] { return splitPayload(comm, *newcomm, color, key); });
    });
}
