// SPDX-License-Identifier: Apache-2.0
// The public functions that begin communicators.
#include "api.h"
#include "config.h"
#include "group.h"
#include "rendezvous_server.h"
#include "split.h"

#include <cuda_runtime_api.h>

#include <set>
#include <vector>

using namespace ringside::nccl;

namespace {

/// The calling thread's device, given back at the end.
class DeviceRestored final {
public:
    DeviceRestored() { checkCuda(cudaGetDevice(&m_before), "cudaGetDevice"); }
    ~DeviceRestored() { cudaSetDevice(m_before); }
    DeviceRestored(const DeviceRestored&) = delete;
    DeviceRestored& operator=(const DeviceRestored&) = delete;

private:
    int m_before = 0;
};

ncclResult_t initialise(ncclComm_t* comm, const ncclUniqueId& commId, Place place, const ncclConfig_t* config)
{
    require(comm != nullptr, "the place for the communicator is null");
    *comm = nullptr;
    require(place.size >= 1 && place.rank >= 0 && place.rank < place.size,
            "rank must be at least 0 and less than nranks");
    checkCuda(cudaGetDevice(&place.device), "cudaGetDevice");
    const UniqueId id = decode(commId);
    const auto handle = std::make_shared<ncclComm>(wantsBlocking(config, true));
    *comm = publish(handle);
    try {
        return submit({handle, [id, place] { return std::make_shared<Communicator>(id, place); }});
    } catch (const Failure&) {
        withdraw(handle.get());
        *comm = nullptr;
        throw;
    }
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

/// The child is there, and its place filled, when the parent is no longer in progress.
ncclResult_t splitOff(const std::shared_ptr<ncclComm>& parent, const SplitRequest& request, ncclComm_t* child,
                      bool blocking)
{
    const std::shared_ptr<Communicator> communicator = parent->communicator();
    parent->begin();
    return submit({parent, [communicator, request, child, blocking] {
                       if (const auto made = split(*communicator, request)) {
                           const auto handle = std::make_shared<ncclComm>(blocking);
                           handle->ready(made);
                           *child = publish(handle);
                       }
                       return communicator;
                   }});
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
    return guarded([&] { return initialise(comm, commId, {.rank = rank, .size = nranks}, nullptr); });
}

RINGSIDE_NCCL_API(ncclResult_t, ncclCommInitRankConfig, ncclComm_t* comm, int nranks, ncclUniqueId commId,
                  int rank, ncclConfig_t* config)
{
    return guarded([&] { return initialise(comm, commId, {.rank = rank, .size = nranks}, config); });
}

// One of the ids is enough for ranks that all know it; the real library spreads them to start up faster.
RINGSIDE_NCCL_API(ncclResult_t, ncclCommInitRankScalable, ncclComm_t* newcomm, int nranks, int myrank,
                  int nId, ncclUniqueId* commIds, ncclConfig_t* config)
{
    return guarded([&] {
        require(nId > 0 && nId <= nranks && commIds != nullptr, "there must be 1 to nranks ids");
        return initialise(newcomm, commIds[0], {.rank = myrank, .size = nranks}, config);
    });
}

RINGSIDE_NCCL_API(ncclResult_t, ncclCommInitAll, ncclComm_t* comm, int ndev, const int* devlist)
{
    return guarded([&] {
        require(comm != nullptr, "the place for the communicators is null");
        const DeviceRestored restored;
        const std::vector<int> devices = devicesOf(ndev, devlist);
        ncclUniqueId id;
        if (const ncclResult_t result = ncclGetUniqueId(&id); result != ncclSuccess)
            throw Failure(result, lastError()); // through the public function, as the real library
        startGroup();
        for (int i = 0; i < ndev; ++i) {
            checkCuda(cudaSetDevice(devices[static_cast<std::size_t>(i)]), "cudaSetDevice");
            initialise(comm + i, id, {.rank = i, .size = ndev}, nullptr);
        }
        endGroup();
    });
}

RINGSIDE_NCCL_API(ncclResult_t, ncclCommSplit, ncclComm_t comm, int color, int key, ncclComm_t* newcomm,
                  ncclConfig_t* config)
{
    return guarded([&] {
        require(newcomm != nullptr, "the place for the communicator is null");
        const std::shared_ptr<ncclComm> parent = findHandle(comm);
        *newcomm = nullptr;
        const bool blocking = wantsBlocking(config, parent->blocking());
        return splitOff(parent, requestSplit(*parent->communicator(), color, key), newcomm, blocking);
    });
}
