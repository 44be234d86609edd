// SPDX-License-Identifier: Apache-2.0
// Exported names from before the _v2 and _v3 forms, for programs built with old headers. Process lists before
// _v3 have other records and are refused.
#include <nvml.h>

// The header maps these names to the newest form.
#undef nvmlInit
#undef nvmlDeviceGetCount
#undef nvmlDeviceGetHandleByIndex
#undef nvmlDeviceGetHandleByPciBusId
#undef nvmlDeviceGetPciInfo
#undef nvmlEventSetWait

extern "C" {
nvmlReturn_t nvmlInit();
nvmlReturn_t nvmlDeviceGetCount(unsigned* count);
nvmlReturn_t nvmlDeviceGetHandleByIndex(unsigned index, nvmlDevice_t* device);
nvmlReturn_t nvmlDeviceGetHandleByPciBusId(const char* busId, nvmlDevice_t* device);
// NOLINTNEXTLINE(readability-identifier-naming): the exported name
nvmlReturn_t nvmlDeviceGetPciInfo_v2(nvmlDevice_t device, nvmlPciInfo_t* info);
nvmlReturn_t nvmlEventSetWait(nvmlEventSet_t set, nvmlEventData_t* event, unsigned timeoutMs);
}

nvmlReturn_t nvmlInit()
{
    return nvmlInit_v2();
}

nvmlReturn_t nvmlDeviceGetCount(unsigned* count)
{
    return nvmlDeviceGetCount_v2(count);
}

nvmlReturn_t nvmlDeviceGetHandleByIndex(unsigned index, nvmlDevice_t* device)
{
    return nvmlDeviceGetHandleByIndex_v2(index, device);
}

nvmlReturn_t nvmlDeviceGetHandleByPciBusId(const char* busId, nvmlDevice_t* device)
{
    return nvmlDeviceGetHandleByPciBusId_v2(busId, device);
}

nvmlReturn_t nvmlDeviceGetPciInfo_v2(nvmlDevice_t device, nvmlPciInfo_t* info)
{
    return nvmlDeviceGetPciInfo_v3(device, info);
}

// Omits the instance ids at the end, for which callers of this form leave no room.
nvmlReturn_t nvmlEventSetWait(nvmlEventSet_t set, nvmlEventData_t* event, unsigned timeoutMs)
{
    if (event == nullptr)
        return nvmlEventSetWait_v2(set, nullptr, timeoutMs);
    nvmlEventData_t whole{};
    const nvmlReturn_t result = nvmlEventSetWait_v2(set, &whole, timeoutMs);
    if (result == NVML_SUCCESS) {
        event->device = whole.device;
        event->eventType = whole.eventType;
        event->eventData = whole.eventData;
    }
    return result;
}
