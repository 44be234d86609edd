// SPDX-License-Identifier: Apache-2.0
// Peer access. It always works, because all devices share one address space. Enabled peers are stored to
// return CUDA's errors.
#include "api.h"

#include <mutex>
#include <set>
#include <utility>

using namespace ringside::platform;

namespace {

struct PeerAccess {
    std::mutex mutex;
    std::set<std::pair<int, int>> enabled; ///< pairs: the first device accesses memory of the second one
};

PeerAccess& peerAccess()
{
    static auto* access = new PeerAccess;
    return *access;
}

bool isPeer(int peer)
{
    return isDevice(peer) && peer != currentDevice();
}

} // namespace

namespace ringside::platform {

void forgetPeers(int index)
{
    const std::lock_guard lock(peerAccess().mutex);
    std::erase_if(peerAccess().enabled, [index](const auto& pair) { return pair.first == index; });
}

} // namespace ringside::platform

cudaError_t cudaDeviceCanAccessPeer(int* can, int index, int peer)
{
    return apiCall(CUPTI_RUNTIME_TRACE_CBID_cudaDeviceCanAccessPeer_v4000, [&] {
        if (can == nullptr)
            return cudaErrorInvalidValue;
        if (!isDevice(index) || !isDevice(peer))
            return cudaErrorInvalidDevice;
        *can = index == peer ? 0 : 1;
        return cudaSuccess;
    });
}

cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags)
{
    return apiCall(CUPTI_RUNTIME_TRACE_CBID_cudaDeviceEnablePeerAccess_v4000, [&] {
        if (!isPeer(peer))
            return cudaErrorInvalidDevice;
        if (flags != 0)
            return cudaErrorInvalidValue;
        const std::lock_guard lock(peerAccess().mutex);
        return peerAccess().enabled.emplace(currentDevice(), peer).second ? cudaSuccess
                                                                          : cudaErrorPeerAccessAlreadyEnabled;
    });
}

cudaError_t cudaDeviceDisablePeerAccess(int peer)
{
    return apiCall(CUPTI_RUNTIME_TRACE_CBID_cudaDeviceDisablePeerAccess_v4000, [&] {
        if (!isPeer(peer))
            return cudaErrorInvalidDevice;
        const std::lock_guard lock(peerAccess().mutex);
        return peerAccess().enabled.erase({currentDevice(), peer}) == 1 ? cudaSuccess
                                                                        : cudaErrorPeerAccessNotEnabled;
    });
}

cudaError_t cudaDeviceGetP2PAttribute(int* value, cudaDeviceP2PAttr attribute, int source, int destination)
{
    return apiCall(CUPTI_RUNTIME_TRACE_CBID_cudaDeviceGetP2PAttribute_v8000, [&] {
        if (value == nullptr || attribute < cudaDevP2PAttrPerformanceRank ||
            attribute > cudaDevP2PAttrOnlyPartialNativeAtomicSupported)
            return cudaErrorInvalidValue;
        if (!isDevice(source) || !isDevice(destination) || source == destination)
            return cudaErrorInvalidDevice;
        *value = attribute == cudaDevP2PAttrAccessSupported ? 1 : 0; // all links are alike: rank 0
        return cudaSuccess;
    });
}
