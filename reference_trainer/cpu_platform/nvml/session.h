// SPDX-License-Identifier: Apache-2.0
// The common part of all functions of the emulated NVML: initialisation, the device of a handle, and the
// present values of the script.
#pragma once
#include "script.h"

#include <nvml.h>

struct nvmlDevice_st {
    int index;
};

namespace ringside::nvml {

/// Converts watts and joules to the milliwatts and millijoules of NVML.
inline constexpr double kMilli = 1000;

[[nodiscard]] nvmlReturn_t begin();
[[nodiscard]] nvmlReturn_t end();
[[nodiscard]] bool initialized();
/// Returns the seconds since the process's first nvmlInit, the time of the script.
[[nodiscard]] double now();
/// Returns the handle of an existing device.
[[nodiscard]] nvmlDevice_t deviceHandle(int index);
[[nodiscard]] bool isDevice(nvmlDevice_t device);
/// Returns the present value of the script. Without one, clocks and their reasons come from the device model.
[[nodiscard]] std::optional<double> valueNow(nvmlDevice_t device, Reading reading, int link = kEveryLink);
/// In bytes.
struct DeviceMemory {
    std::uint64_t total = 0;
    std::uint64_t used = 0;
};
/// Returns the memory that this process has allocated with the emulated runtime; nullopt if it has not used
/// the device.
[[nodiscard]] std::optional<DeviceMemory> allocatedHere(nvmlDevice_t device);
/// Blocks while the script says that the device's driver is stuck.
void waitWhileBlocked(nvmlDevice_t device);
/// Copies text with its terminator. Returns NVML_ERROR_INSUFFICIENT_SIZE if it does not fit.
[[nodiscard]] nvmlReturn_t copyText(char* to, unsigned length, const std::string& text);

/// Runs `body`, which writes results to `places`, none of which may be null.
template <class Body, class... Places>
nvmlReturn_t call(Body&& body, Places*... places)
{
    if (!initialized())
        return NVML_ERROR_UNINITIALIZED;
    if ((!places || ...))
        return NVML_ERROR_INVALID_ARGUMENT;
    return body();
}

/// The same for a function about a device.
template <class Body, class... Places>
nvmlReturn_t callOn(nvmlDevice_t device, Body&& body, Places*... places)
{
    return call(
        [&] {
            if (!isDevice(device))
                return NVML_ERROR_INVALID_ARGUMENT;
            waitWhileBlocked(device);
            if (valueNow(device, Reading::Lost).value_or(0) != 0)
                return NVML_ERROR_GPU_IS_LOST;
            return body();
        },
        places...);
}

/// Writes one reading in NVML's unit. Returns NVML_ERROR_NOT_SUPPORTED if it is unknown.
template <class Number>
nvmlReturn_t tell(nvmlDevice_t device, Reading reading, Number* to, double factor = 1, int link = kEveryLink)
{
    return callOn(
        device,
        [&] {
            const std::optional<double> value = valueNow(device, reading, link);
            if (!value.has_value())
                return NVML_ERROR_NOT_SUPPORTED;
            *to = static_cast<Number>(*value * factor);
            return NVML_SUCCESS;
        },
        to);
}

} // namespace ringside::nvml
