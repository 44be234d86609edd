// SPDX-License-Identifier: Apache-2.0
// Events: XID errors at the times of the script. A set gets the events after its registration.
#include "platform.h"
#include "session.h"

#include <algorithm>
#include <chrono>
#include <mutex>
#include <new>
#include <thread>
#include <vector>

struct nvmlEventSet_st {
    struct Registration {
        int device;
        double sinceS;
    };
    std::mutex mutex;
    std::vector<Registration> registrations;
    std::size_t next = 0; ///< index of the first XID of the script that this set has not returned
};

using namespace ringside::nvml;

namespace {

bool registered(const nvmlEventSet_st& set, const XidEntry& xid)
{
    return std::ranges::any_of(set.registrations, [&](const auto& registration) {
        return registration.device == xid.device && xid.seconds >= registration.sinceS;
    });
}

// Returns the next event whose time has come.
std::optional<XidEntry> takeEvent(nvmlEventSet_st& set)
{
    const std::vector<XidEntry>& xids = Script::get().xids();
    const std::lock_guard lock(set.mutex);
    while (set.next < xids.size() && xids[set.next].seconds <= now()) {
        const XidEntry& xid = xids[set.next++];
        if (registered(set, xid))
            return xid;
    }
    return std::nullopt;
}

std::optional<XidEntry> waitForEvent(nvmlEventSet_st& set, unsigned timeoutMs)
{
    const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(timeoutMs);
    constexpr std::chrono::milliseconds kPause(1);
    std::optional<XidEntry> event = takeEvent(set);
    while (!event.has_value() && std::chrono::steady_clock::now() < until) {
        std::this_thread::sleep_for(kPause);
        event = takeEvent(set);
    }
    return event;
}

} // namespace

nvmlReturn_t nvmlEventSetCreate(nvmlEventSet_t* set)
{
    return call(
        [&] {
            *set = new (std::nothrow) nvmlEventSet_st;
            return *set == nullptr ? NVML_ERROR_MEMORY : NVML_SUCCESS;
        },
        set);
}

nvmlReturn_t nvmlDeviceGetSupportedEventTypes(nvmlDevice_t device, unsigned long long* types)
{
    return callOn(
        device,
        [&] {
            *types = nvmlEventTypeXidCriticalError;
            return NVML_SUCCESS;
        },
        types);
}

nvmlReturn_t nvmlDeviceRegisterEvents(nvmlDevice_t device, unsigned long long types, nvmlEventSet_t set)
{
    return callOn(
        device,
        [&] {
            if (types == 0)
                return NVML_ERROR_INVALID_ARGUMENT;
            if (types != nvmlEventTypeXidCriticalError)
                return NVML_ERROR_NOT_SUPPORTED;
            const std::lock_guard lock(set->mutex);
            set->registrations.push_back({device->index, now()});
            return NVML_SUCCESS;
        },
        set);
}

nvmlReturn_t nvmlEventSetWait_v2(nvmlEventSet_t set, nvmlEventData_t* event, unsigned timeoutMs)
{
    return call(
        [&] {
            const std::optional<XidEntry> xid = waitForEvent(*set, timeoutMs);
            if (!xid.has_value())
                return NVML_ERROR_TIMEOUT;
            constexpr unsigned kNoInstance = 0xFFFFFFFF;
            *event = {deviceHandle(xid->device), nvmlEventTypeXidCriticalError, xid->number, kNoInstance,
                      kNoInstance};
            return NVML_SUCCESS;
        },
        set, event);
}

nvmlReturn_t nvmlEventSetFree(nvmlEventSet_t set)
{
    return call(
        [&] {
            delete set;
            return NVML_SUCCESS;
        },
        set);
}
