// SPDX-License-Identifier: Apache-2.0
// Single readings of a device, each in NVML's own unit.
#include "session.h"

using namespace ringside::nvml;

namespace {

constexpr double kKilobytes = 1.0 / 1024; // NVML's "KB/s"

nvmlReturn_t clockOf(nvmlDevice_t device, nvmlClockType_t type, Reading ofSm, Reading ofMemory, unsigned* mhz)
{
    switch (type) {
    case NVML_CLOCK_GRAPHICS: // one domain on data centre devices
    case NVML_CLOCK_SM:
        return tell(device, ofSm, mhz);
    case NVML_CLOCK_MEM:
        return tell(device, ofMemory, mhz);
    case NVML_CLOCK_VIDEO:
        return callOn(
            device, [] { return NVML_ERROR_NOT_SUPPORTED; }, mhz);
    default:
        return callOn(
            device, [] { return NVML_ERROR_INVALID_ARGUMENT; }, mhz);
    }
}

// If the script sets one of the two figures, both come from the script.
std::optional<DeviceMemory> memoryNow(nvmlDevice_t device)
{
    const std::optional<double> total = valueNow(device, Reading::MemoryTotal);
    const std::optional<double> used = valueNow(device, Reading::MemoryUsed);
    if (!total.has_value() && !used.has_value())
        return allocatedHere(device);
    if (!total.has_value() || !used.has_value() || *used > *total)
        return std::nullopt;
    return DeviceMemory{static_cast<std::uint64_t>(*total), static_cast<std::uint64_t>(*used)};
}

template <class Body>
nvmlReturn_t withMemory(nvmlDevice_t device, Body&& body)
{
    const std::optional<DeviceMemory> memory = memoryNow(device);
    if (!memory.has_value())
        return NVML_ERROR_NOT_SUPPORTED;
    body(*memory);
    return NVML_SUCCESS;
}

} // namespace

nvmlReturn_t nvmlDeviceGetUtilizationRates(nvmlDevice_t device, nvmlUtilization_t* utilization)
{
    return callOn(
        device,
        [&] {
            const std::optional<double> gpu = valueNow(device, Reading::GpuUtilization);
            const std::optional<double> memory = valueNow(device, Reading::MemoryUtilization);
            if (!gpu.has_value() || !memory.has_value())
                return NVML_ERROR_NOT_SUPPORTED;
            *utilization = {static_cast<unsigned>(*gpu), static_cast<unsigned>(*memory)};
            return NVML_SUCCESS;
        },
        utilization);
}

nvmlReturn_t nvmlDeviceGetMemoryInfo(nvmlDevice_t device, nvmlMemory_t* memory)
{
    const auto fill = [&](DeviceMemory now) { *memory = {now.total, now.total - now.used, now.used}; };
    return callOn(
        device, [&] { return withMemory(device, fill); }, memory);
}

nvmlReturn_t nvmlDeviceGetMemoryInfo_v2(nvmlDevice_t device, nvmlMemory_v2_t* memory)
{
    const auto fill = [&](DeviceMemory now) {
        *memory = {nvmlMemory_v2, now.total, 0, now.total - now.used, now.used};
    };
    return callOn(
        device,
        [&] {
            return memory->version == nvmlMemory_v2 ? withMemory(device, fill)
                                                    : NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
        },
        memory);
}

nvmlReturn_t nvmlDeviceGetClockInfo(nvmlDevice_t device, nvmlClockType_t type, unsigned* mhz)
{
    return clockOf(device, type, Reading::SmClock, Reading::MemoryClock, mhz);
}

nvmlReturn_t nvmlDeviceGetMaxClockInfo(nvmlDevice_t device, nvmlClockType_t type, unsigned* mhz)
{
    return clockOf(device, type, Reading::SmClockMax, Reading::MemoryClockMax, mhz);
}

nvmlReturn_t nvmlDeviceGetCurrentClocksEventReasons(nvmlDevice_t device, unsigned long long* reasons)
{
    return tell(device, Reading::Reasons, reasons);
}

nvmlReturn_t nvmlDeviceGetCurrentClocksThrottleReasons(nvmlDevice_t device, unsigned long long* reasons)
{
    return tell(device, Reading::Reasons, reasons);
}

nvmlReturn_t nvmlDeviceGetPowerUsage(nvmlDevice_t device, unsigned* milliwatts)
{
    return tell(device, Reading::Power, milliwatts, kMilli);
}

nvmlReturn_t nvmlDeviceGetPowerManagementLimit(nvmlDevice_t device, unsigned* milliwatts)
{
    return tell(device, Reading::PowerLimit, milliwatts, kMilli);
}

nvmlReturn_t nvmlDeviceGetEnforcedPowerLimit(nvmlDevice_t device, unsigned* milliwatts)
{
    return tell(device, Reading::PowerLimit, milliwatts, kMilli);
}

nvmlReturn_t nvmlDeviceGetTotalEnergyConsumption(nvmlDevice_t device, unsigned long long* millijoules)
{
    return tell(device, Reading::Energy, millijoules, kMilli);
}

nvmlReturn_t nvmlDeviceGetTemperature(nvmlDevice_t device, nvmlTemperatureSensors_t sensor, unsigned* celsius)
{
    if (sensor != NVML_TEMPERATURE_GPU)
        return callOn(
            device, [] { return NVML_ERROR_INVALID_ARGUMENT; }, celsius);
    return tell(device, Reading::Temperature, celsius);
}

nvmlReturn_t nvmlDeviceGetTemperatureThreshold(nvmlDevice_t device, nvmlTemperatureThresholds_t threshold,
                                               unsigned* celsius)
{
    if (threshold != NVML_TEMPERATURE_THRESHOLD_SLOWDOWN)
        return callOn(
            device, [] { return NVML_ERROR_NOT_SUPPORTED; }, celsius);
    return tell(device, Reading::TemperatureSlowdown, celsius);
}

nvmlReturn_t nvmlDeviceGetPerformanceState(nvmlDevice_t device, nvmlPstates_t* state)
{
    return tell(device, Reading::PState, state);
}

nvmlReturn_t nvmlDeviceGetPcieThroughput(nvmlDevice_t device, nvmlPcieUtilCounter_t counter,
                                         unsigned* kilobytesPerSecond)
{
    if (counter != NVML_PCIE_UTIL_TX_BYTES && counter != NVML_PCIE_UTIL_RX_BYTES)
        return callOn(
            device, [] { return NVML_ERROR_INVALID_ARGUMENT; }, kilobytesPerSecond);
    const Reading reading = counter == NVML_PCIE_UTIL_TX_BYTES ? Reading::PcieTx : Reading::PcieRx;
    return tell(device, reading, kilobytesPerSecond, kKilobytes);
}

nvmlReturn_t nvmlDeviceGetPcieReplayCounter(nvmlDevice_t device, unsigned* replays)
{
    return tell(device, Reading::PcieReplays, replays);
}

nvmlReturn_t nvmlDeviceGetCurrPcieLinkGeneration(nvmlDevice_t device, unsigned* generation)
{
    return tell(device, Reading::PcieGeneration, generation);
}

nvmlReturn_t nvmlDeviceGetCurrPcieLinkWidth(nvmlDevice_t device, unsigned* width)
{
    return tell(device, Reading::PcieWidth, width);
}

nvmlReturn_t nvmlDeviceGetMaxPcieLinkGeneration(nvmlDevice_t device, unsigned* generation)
{
    return tell(device, Reading::PcieGenerationMax, generation);
}

nvmlReturn_t nvmlDeviceGetMaxPcieLinkWidth(nvmlDevice_t device, unsigned* width)
{
    return tell(device, Reading::PcieWidthMax, width);
}

nvmlReturn_t nvmlDeviceGetPersistenceMode(nvmlDevice_t device, nvmlEnableState_t* mode)
{
    return tell(device, Reading::PersistenceMode, mode);
}

nvmlReturn_t nvmlDeviceGetGpuFabricInfo(nvmlDevice_t device, nvmlGpuFabricInfo_t* info)
{
    return callOn(
        device,
        [&] {
            const std::optional<double> state = valueNow(device, Reading::FabricState);
            if (!state.has_value())
                return NVML_ERROR_NOT_SUPPORTED;
            const double status = valueNow(device, Reading::FabricStatus).value_or(NVML_SUCCESS);
            *info = {{}, static_cast<nvmlReturn_t>(status), 0, static_cast<nvmlGpuFabricState_t>(*state)};
            return NVML_SUCCESS;
        },
        info);
}

// If the script sets error counts, ECC is enabled.
nvmlReturn_t nvmlDeviceGetEccMode(nvmlDevice_t device, nvmlEnableState_t* current, nvmlEnableState_t* pending)
{
    return callOn(
        device,
        [&] {
            if (!valueNow(device, Reading::EccCorrected).has_value() &&
                !valueNow(device, Reading::EccUncorrected).has_value())
                return NVML_ERROR_NOT_SUPPORTED;
            *current = *pending = NVML_FEATURE_ENABLED;
            return NVML_SUCCESS;
        },
        current, pending);
}

nvmlReturn_t nvmlDeviceGetTotalEccErrors(nvmlDevice_t device, nvmlMemoryErrorType_t type,
                                         nvmlEccCounterType_t counter, unsigned long long* errors)
{
    constexpr Reading kReadings[2][2] = {{Reading::EccCorrected, Reading::EccCorrectedAggregate},
                                         {Reading::EccUncorrected, Reading::EccUncorrectedAggregate}};
    if (static_cast<unsigned>(type) > NVML_MEMORY_ERROR_TYPE_UNCORRECTED ||
        static_cast<unsigned>(counter) > NVML_AGGREGATE_ECC)
        return callOn(
            device, [] { return NVML_ERROR_INVALID_ARGUMENT; }, errors);
    return tell(device, kReadings[type][counter], errors);
}
