// SPDX-License-Identifier: Apache-2.0
#include "sampled/nvml_questions.h"

namespace ringside::collector::sampled {
namespace {

template <int kType>
nvml::Result askClock(const nvml::Library& library, nvml::Device device, std::array<std::uint64_t, 2>& values)
{
    unsigned mhz = 0;
    const nvml::Result result = nvml::callIfThere(library.clock, device, kType, &mhz);
    values[0] = mhz;
    return result;
}

template <int kType>
nvml::Result askMaxClock(const nvml::Library& library, nvml::Device device,
                         std::array<std::uint64_t, 2>& values)
{
    unsigned mhz = 0;
    const nvml::Result result = nvml::callIfThere(library.maxClock, device, kType, &mhz);
    values[0] = mhz;
    return result;
}

nvml::Result askUtilization(const nvml::Library& library, nvml::Device device,
                            std::array<std::uint64_t, 2>& values)
{
    nvml::Utilization utilization{};
    const nvml::Result result = nvml::callIfThere(library.utilization, device, &utilization);
    values = {utilization.gpu, utilization.memory};
    return result;
}

// The newer form counts what the driver keeps for itself apart.
nvml::Result askMemory(const nvml::Library& library, nvml::Device device,
                       std::array<std::uint64_t, 2>& values)
{
    if (library.memoryV2 != nullptr) {
        nvml::MemoryV2 memory{nvml::MemoryV2::kVersion, 0, 0, 0, 0};
        const nvml::Result result = library.memoryV2(device, &memory);
        values[0] = memory.used;
        return result;
    }
    nvml::Memory memory{};
    const nvml::Result result = nvml::callIfThere(library.memory, device, &memory);
    values[0] = memory.used;
    return result;
}

nvml::Result askReasons(const nvml::Library& library, nvml::Device device,
                        std::array<std::uint64_t, 2>& values)
{
    unsigned long long reasons = 0;
    const nvml::Result result = nvml::callIfThere(library.clockReasons, device, &reasons);
    values[0] = reasons;
    return result;
}

nvml::Result askPower(const nvml::Library& library, nvml::Device device, std::array<std::uint64_t, 2>& values)
{
    unsigned milliwatts = 0;
    const nvml::Result result = nvml::callIfThere(library.power, device, &milliwatts);
    values[0] = milliwatts;
    return result;
}

nvml::Result askTemperature(const nvml::Library& library, nvml::Device device,
                            std::array<std::uint64_t, 2>& values)
{
    unsigned celsius = 0;
    const nvml::Result result =
        nvml::callIfThere(library.temperature, device, nvml::kTemperatureGpu, &celsius);
    values[0] = celsius;
    return result;
}

nvml::Result askSlowdown(const nvml::Library& library, nvml::Device device,
                         std::array<std::uint64_t, 2>& values)
{
    unsigned celsius = 0;
    const nvml::Result result =
        nvml::callIfThere(library.temperatureThreshold, device, nvml::kThresholdSlowdown, &celsius);
    values[0] = celsius;
    return result;
}

using PcieFunction = nvml::Result (*nvml::Library::*)(nvml::Device, unsigned*);

template <PcieFunction kGeneration, PcieFunction kLanes>
nvml::Result askPcie(const nvml::Library& library, nvml::Device device, std::array<std::uint64_t, 2>& values)
{
    unsigned generation = 0;
    unsigned lanes = 0;
    const nvml::Result first = nvml::callIfThere(library.*kGeneration, device, &generation);
    const nvml::Result second = nvml::callIfThere(library.*kLanes, device, &lanes);
    values = {generation, lanes};
    return first != nvml::kSuccess ? first : second;
}

// A GPU has links up to the first number that it refuses.
nvml::Result askLinks(const nvml::Library& library, nvml::Device device, std::array<std::uint64_t, 2>& values)
{
    for (unsigned link = 0; link < nvml::kMostLinks; ++link) {
        int state = 0;
        const nvml::Result result = nvml::callIfThere(library.linkState, device, link, &state);
        if (result != nvml::kSuccess) {
            return link == 0 || result == nvml::kGpuIsLost ? result : nvml::kSuccess;
        }
        ++values[state == nvml::kEnabled ? 0 : 1];
    }
    return nvml::kSuccess;
}

nvml::Result askPersistence(const nvml::Library& library, nvml::Device device,
                            std::array<std::uint64_t, 2>& values)
{
    int mode = 0;
    const nvml::Result result = nvml::callIfThere(library.persistence, device, &mode);
    values[0] = mode == nvml::kEnabled ? 1 : 0;
    return result;
}

// Whether the fabric manager has let the GPU into the fabric of NVSwitches; older libraries cannot tell.
nvml::Result askFabric(const nvml::Library& library, nvml::Device device,
                       std::array<std::uint64_t, 2>& values)
{
    nvml::FabricInfo info{};
    const nvml::Result result = nvml::callIfThere(library.fabric, device, &info);
    values = {info.state, static_cast<std::uint64_t>(info.status)};
    return result;
}

} // namespace

constexpr std::array<NvmlQuestion, 15> kNvmlQuestions{{
    {&askUtilization, {trace::SeriesName::GpuUtilization, trace::SeriesName::MemoryUtilization}},
    {&askMemory, {trace::SeriesName::MemoryUsed, std::nullopt}},
    {&askClock<nvml::kClockSm>, {trace::SeriesName::SmClock, std::nullopt}},
    {&askClock<nvml::kClockMemory>, {trace::SeriesName::MemoryClock, std::nullopt}},
    {&askReasons, {trace::SeriesName::ClockEventReasons, std::nullopt}},
    {&askPower, {trace::SeriesName::Power, std::nullopt}},
    {&askTemperature, {trace::SeriesName::Temperature, std::nullopt}},
    {&askMaxClock<nvml::kClockSm>, {trace::SeriesName::SmClockMax, std::nullopt}, Often::Once},
    {&askMaxClock<nvml::kClockMemory>, {trace::SeriesName::MemoryClockMax, std::nullopt}, Often::Once},
    {&askSlowdown, {trace::SeriesName::TemperatureSlowdown, std::nullopt}, Often::Once},
    {&askPcie<&nvml::Library::pcieGeneration, &nvml::Library::pcieLanes>,
     {trace::SeriesName::PcieGeneration, trace::SeriesName::PcieLanes},
     Often::OnceASecond},
    {&askPcie<&nvml::Library::pcieMostGeneration, &nvml::Library::pcieMostLanes>,
     {trace::SeriesName::PcieGenerationMax, trace::SeriesName::PcieLanesMax},
     Often::Once},
    {&askLinks, {trace::SeriesName::NvlinkLinksUp, trace::SeriesName::NvlinkLinksDown}, Often::OnceASecond},
    {&askPersistence, {trace::SeriesName::PersistenceMode, std::nullopt}, Often::Once},
    {&askFabric, {trace::SeriesName::FabricState, trace::SeriesName::FabricStatus}, Often::Once},
}};

} // namespace ringside::collector::sampled
