// SPDX-License-Identifier: Apache-2.0
// What every function of the emulated NVML begins with: is it initialised, which device is meant, and what
// the script says at this moment.
#pragma once
#include "script.h"

#include <nvml.h>

struct nvmlDevice_st {
    int index;
};

namespace ringside::nvml {

/// Watts and joules to the milliwatts and millijoules that NVML tells.
inline constexpr double kMilli = 1000;

[[nodiscard]] nvmlReturn_t begin();
[[nodiscard]] nvmlReturn_t end();
[[nodiscard]] bool initialized();
/// Seconds since the process's first nvmlInit; the script's time.
[[nodiscard]] double now();
/// The handle of a device that exists.
[[nodiscard]] nvmlDevice_t deviceHandle(int index);
[[nodiscard]] bool isDevice(nvmlDevice_t device);
/// What the script says now. Without a word in it, clocks and their reasons come from the device model.
[[nodiscard]] std::optional<double> valueNow(nvmlDevice_t device, Reading reading, int link = kEveryLink);
/// In bytes.
struct DeviceMemory {
    std::uint64_t total = 0;
    std::uint64_t used = 0;
};
/// What this process has allocated with the emulated runtime; nullopt where it has not used the device.
[[nodiscard]] std::optional<DeviceMemory> allocatedHere(nvmlDevice_t device);
/// Returns once the script does not say that the device's driver is stuck.
void waitWhileBlocked(nvmlDevice_t device);
/// Copies text with its end; NVML_ERROR_INSUFFICIENT_SIZE where it does not fit.
[[nodiscard]] nvmlReturn_t copyText(char* to, unsigned length, const std::string& text);

/// Runs `body`, which answers into places none of which may be null.
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

/// Tells one reading in NVML's unit; NVML_ERROR_NOT_SUPPORTED where nothing is known.
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
