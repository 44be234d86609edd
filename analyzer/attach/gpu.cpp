// SPDX-License-Identifier: Apache-2.0
#include "attach/gpu.h"

#include "host/nvml/library.h"
#include "trace/vocabulary/clock_reasons.h"

#include <algorithm>
#include <array>

namespace ringside::attach {
namespace {

namespace nvml = host::nvml;

/// Calls a function whose last parameter receives the value.
template <class Value, class... Parameters, class... Arguments>
std::optional<std::int64_t> ask(nvml::Result (*function)(Parameters...), Value value, Arguments... arguments)
{
    return nvml::callIfThere(function, arguments..., &value) == nvml::kSuccess
               ? std::optional(static_cast<std::int64_t>(value))
               : std::nullopt;
}

std::optional<std::vector<GpuProcess>> processesOn(const nvml::Library& library, nvml::Device device)
{
    std::array<nvml::ProcessInfo, 256> infos{};
    unsigned count = infos.size();
    if (nvml::callIfThere(library.processes, device, &count, infos.data()) != nvml::kSuccess) {
        return std::nullopt;
    }
    std::vector<GpuProcess> processes;
    for (unsigned i = 0; i < std::min<std::size_t>(count, infos.size()); ++i) {
        const bool known = infos[i].usedGpuMemory != nvml::ProcessInfo::kNotAvailable;
        processes.push_back(
            {infos[i].pid,
             known ? std::optional(static_cast<std::int64_t>(infos[i].usedGpuMemory)) : std::nullopt});
    }
    return processes;
}

void readMemory(const nvml::Library& library, nvml::Device device, Gpu& gpu)
{
    nvml::Memory memory{};
    if (nvml::callIfThere(library.memory, device, &memory) == nvml::kSuccess) {
        gpu.memoryUsedBytes = static_cast<std::int64_t>(memory.used);
        gpu.memoryTotalBytes = static_cast<std::int64_t>(memory.total);
    }
}

void readName(const nvml::Library& library, nvml::Device device, Gpu& gpu)
{
    std::array<char, 96> name{}; // NVML_DEVICE_NAME_V2_BUFFER_SIZE
    if (nvml::callIfThere(library.name, device, name.data(), static_cast<unsigned>(name.size() - 1)) ==
        nvml::kSuccess) {
        gpu.name = name.data();
    }
    nvml::PciInfo place{};
    if (nvml::callIfThere(library.pci, device, &place) == nvml::kSuccess) {
        place.busId[sizeof place.busId - 1] = '\0';
        gpu.busId = place.busId;
    }
}

Gpu readGpu(const nvml::Library& library, nvml::Device device, unsigned index)
{
    Gpu gpu;
    gpu.index = index;
    readName(library, device, gpu);
    nvml::Utilization utilization{};
    const nvml::Result result = nvml::callIfThere(library.utilization, device, &utilization);
    if (result == nvml::kSuccess) {
        gpu.utilizationPercent = utilization.gpu;
    } else if (result == nvml::kGpuIsLost) {
        gpu.error = library.text(result);
        return gpu;
    }
    readMemory(library, device, gpu);
    gpu.smClockMhz = ask(library.clock, 0U, device, nvml::kClockSm);
    gpu.largestSmClockMhz = ask(library.maxClock, 0U, device, nvml::kClockSm);
    gpu.powerMilliwatts = ask(library.power, 0U, device);
    gpu.temperatureCelsius = ask(library.temperature, 0U, device, nvml::kTemperatureGpu);
    gpu.clockReasons = ask(library.clockReasons, 0ULL, device);
    gpu.processes = processesOn(library, device);
    return gpu;
}

} // namespace

Gpus readGpus()
{
    Gpus found;
    nvml::Library library;
    if (!library.load()) {
        found.reason = library.reason;
        return found;
    }
    unsigned count = 0;
    nvml::Result result = library.init();
    result = result == nvml::kSuccess ? nvml::callIfThere(library.deviceCount, &count) : result;
    if (result != nvml::kSuccess) {
        found.reason = "NVML: " + library.text(result);
        return found;
    }
    for (unsigned index = 0; index < count; ++index) {
        nvml::Device device = nullptr;
        result = nvml::callIfThere(library.deviceByIndex, index, &device);
        if (result == nvml::kSuccess) {
            found.gpus.push_back(readGpu(library, device, index));
        } else {
            found.gpus.push_back({});
            found.gpus.back().index = index;
            found.gpus.back().error = library.text(result);
        }
    }
    return found;
}

std::string wrongWith(const Gpu& gpu)
{
    if (!gpu.error.empty()) {
        return gpu.error;
    }
    const std::string_view holder = trace::clock_reasons::troubleIn(gpu.clockReasons.value_or(0));
    return holder.empty() ? "" : "clocks held down by " + std::string(holder);
}

} // namespace ringside::attach
