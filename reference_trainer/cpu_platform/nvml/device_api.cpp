// SPDX-License-Identifier: Apache-2.0
// The devices of the emulated runtime, with the same names, UUIDs and bus ids.
#include "device_name.h"
#include "platform.h"
#include "session.h"

#include <array>
#include <cstdio>
#include <cstring>
#include <string>

using namespace ringside::nvml;

namespace {

// The same values as in cudart/api_device.cpp; a test compares them.
constexpr unsigned kFirstBus = 0x10;
constexpr int kComputeMajor = 8;

std::string uuidOf(int index)
{
    std::array<char, 16> bytes{};
    std::snprintf(bytes.data(), bytes.size(), "ringside-cpu-%02d", index);
    std::string text = "GPU-";
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        std::array<char, 3> digits{};
        std::snprintf(digits.data(), digits.size(), "%02x", static_cast<unsigned char>(bytes[i]));
        text += i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "";
        text += digits.data();
    }
    return text;
}

unsigned deviceCount()
{
    return static_cast<unsigned>(ringside_platform_device_count());
}

nvmlReturn_t answer(int index, nvmlDevice_t* device)
{
    *device = deviceHandle(index);
    return NVML_SUCCESS;
}

} // namespace

nvmlReturn_t nvmlDeviceGetCount_v2(unsigned* count)
{
    return call(
        [&] {
            *count = deviceCount();
            return NVML_SUCCESS;
        },
        count);
}

nvmlReturn_t nvmlDeviceGetHandleByIndex_v2(unsigned index, nvmlDevice_t* device)
{
    return call(
        [&] {
            return index < deviceCount() ? answer(static_cast<int>(index), device)
                                         : NVML_ERROR_INVALID_ARGUMENT;
        },
        device);
}

nvmlReturn_t nvmlDeviceGetHandleByUUID(const char* uuid, nvmlDevice_t* device)
{
    return call(
        [&] {
            for (unsigned i = 0; i < deviceCount(); ++i)
                if (uuidOf(static_cast<int>(i)) == uuid)
                    return answer(static_cast<int>(i), device);
            return NVML_ERROR_NOT_FOUND;
        },
        uuid, device);
}

nvmlReturn_t nvmlDeviceGetHandleByPciBusId_v2(const char* busId, nvmlDevice_t* device)
{
    return call(
        [&] {
            unsigned domain = 0;
            unsigned bus = 0;
            if (std::sscanf(busId, "%x:%x:", &domain, &bus) != 2)
                return NVML_ERROR_INVALID_ARGUMENT;
            if (domain != 0 || bus < kFirstBus || bus - kFirstBus >= deviceCount())
                return NVML_ERROR_NOT_FOUND;
            return answer(static_cast<int>(bus - kFirstBus), device);
        },
        busId, device);
}

nvmlReturn_t nvmlDeviceGetIndex(nvmlDevice_t device, unsigned* index)
{
    return callOn(
        device,
        [&] {
            *index = static_cast<unsigned>(device->index);
            return NVML_SUCCESS;
        },
        index);
}

nvmlReturn_t nvmlDeviceGetMinorNumber(nvmlDevice_t device, unsigned* number)
{
    return nvmlDeviceGetIndex(device, number);
}

nvmlReturn_t nvmlDeviceGetName(nvmlDevice_t device, char* name, unsigned length)
{
    return callOn(
        device, [&] { return copyText(name, length, ringside::platform::deviceName()); }, name);
}

nvmlReturn_t nvmlDeviceGetUUID(nvmlDevice_t device, char* uuid, unsigned length)
{
    return callOn(
        device, [&] { return copyText(uuid, length, uuidOf(device->index)); }, uuid);
}

nvmlReturn_t nvmlDeviceGetPciInfo_v3(nvmlDevice_t device, nvmlPciInfo_t* info)
{
    return callOn(
        device,
        [&] {
            *info = {};
            info->bus = kFirstBus + static_cast<unsigned>(device->index);
            std::snprintf(info->busIdLegacy, sizeof info->busIdLegacy, "0000:%02X:00.0", info->bus);
            std::snprintf(info->busId, sizeof info->busId, "00000000:%02X:00.0", info->bus);
            return NVML_SUCCESS;
        },
        info);
}

nvmlReturn_t nvmlDeviceGetCudaComputeCapability(nvmlDevice_t device, int* major, int* minor)
{
    return callOn(
        device,
        [&] {
            *major = kComputeMajor;
            *minor = 0;
            return NVML_SUCCESS;
        },
        major, minor);
}
