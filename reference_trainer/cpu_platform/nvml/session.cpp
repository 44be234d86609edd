// SPDX-License-Identifier: Apache-2.0
#include "session.h"

#include "platform.h"
#include "script_text.h"

#include <chrono>
#include <cstring>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace ringside::nvml {
namespace {

struct Session {
    std::mutex mutex;
    int users = 0;
    double startedS = -1;
};

Session& session()
{
    static auto* only = new Session;
    return *only;
}

std::vector<nvmlDevice_st>& devices()
{
    static auto* all = [] {
        auto* made = new std::vector<nvmlDevice_st>;
        for (int i = 0; i < ringside_platform_device_count(); ++i)
            made->push_back({i});
        return made;
    }();
    return *all;
}

bool scriptIsGood()
{
    static const bool good = platform::isScriptGood(Script::get().error());
    return good;
}

std::optional<double> positive(double number)
{
    return number > 0 ? std::optional(number) : std::nullopt;
}

// Readings that follow from the device model (device_model.md): its clock and throttling.
std::optional<double> fromModel(Reading reading)
{
    const double clock = ringside_platform_model_number("sm_clock_mhz", 0);
    const double factor = ringside_platform_throttle_factor();
    switch (reading) {
    case Reading::SmClock:
        return positive(clock / factor);
    case Reading::SmClockMax:
        return positive(clock);
    case Reading::Reasons:
        if (clock <= 0)
            return std::nullopt;
        return static_cast<double>(factor > 1 ? nvmlClocksEventReasonSwThermalSlowdown
                                              : nvmlClocksEventReasonNone);
    default:
        return std::nullopt;
    }
}

} // namespace

nvmlReturn_t begin()
{
    if (!scriptIsGood())
        return NVML_ERROR_UNKNOWN;
    Session& only = session();
    const std::lock_guard lock(only.mutex);
    ++only.users;
    if (only.startedS < 0)
        only.startedS = platform::monotonicS();
    return NVML_SUCCESS;
}

nvmlReturn_t end()
{
    Session& only = session();
    const std::lock_guard lock(only.mutex);
    if (only.users == 0)
        return NVML_ERROR_UNINITIALIZED;
    --only.users;
    return NVML_SUCCESS;
}

bool initialized()
{
    Session& only = session();
    const std::lock_guard lock(only.mutex);
    return only.users > 0;
}

double now()
{
    Session& only = session();
    const std::lock_guard lock(only.mutex);
    return platform::monotonicS() - only.startedS;
}

nvmlDevice_t deviceHandle(int index)
{
    return &devices()[static_cast<std::size_t>(index)];
}

bool isDevice(nvmlDevice_t device)
{
    for (const nvmlDevice_st& known : devices())
        if (&known == device)
            return true;
    return false;
}

std::optional<double> valueNow(nvmlDevice_t device, Reading reading, int link)
{
    const std::optional<double> said = Script::get().value(device->index, reading, now(), link);
    return said.has_value() ? said : fromModel(reading);
}

std::optional<DeviceMemory> allocatedHere(nvmlDevice_t device)
{
    DeviceMemory memory;
    if (ringside_platform_device_memory(device->index, &memory.total, &memory.used) == 0)
        return std::nullopt;
    return memory;
}

void waitWhileBlocked(nvmlDevice_t device)
{
    constexpr std::chrono::milliseconds kPause(1);
    while (valueNow(device, Reading::Blocks).value_or(0) != 0)
        std::this_thread::sleep_for(kPause);
}

nvmlReturn_t copyText(char* to, unsigned length, const std::string& text)
{
    if (length < text.size() + 1)
        return NVML_ERROR_INSUFFICIENT_SIZE;
    std::memcpy(to, text.c_str(), text.size() + 1);
    return NVML_SUCCESS;
}

} // namespace ringside::nvml
