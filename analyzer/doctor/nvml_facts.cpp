// SPDX-License-Identifier: Apache-2.0
#include "doctor/nvml_facts.h"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdio>
#include <string>

namespace ringside::doctor {
namespace {

// Of nvml.h, in the layouts of NVML 11 to 13.
using Result = int;
using Device = struct DeviceHandle*;
struct PciInfo {
    char busIdLegacy[16];
    unsigned domain, bus, device, pciDeviceId, pciSubSystemId;
    char busId[32];
};
struct FabricInfo {
    unsigned char cluster[16];
    Result status;
    unsigned clique;
    unsigned char state;
};
constexpr int kUncorrected = 1;
constexpr int kVolatile = 0;

/// Null where this driver has no such function.
struct Functions {
    Result (*init)();
    Result (*count)(unsigned*);
    Result (*handle)(unsigned, Device*);
    Result (*pci)(Device, PciInfo*);
    Result (*persistence)(Device, int*);
    Result (*fabric)(Device, FabricInfo*);
    Result (*eccErrors)(Device, int, int, unsigned long long*);
    Result (*remappedRows)(Device, unsigned*, unsigned*, unsigned*, unsigned*);
    Result (*slowdowns)(Device, unsigned long long*);
};

template <class Function>
void find(void* library, const char* name, Function*& function)
{
    function = reinterpret_cast<Function*>(dlsym(library, name));
}

Functions load(void* library)
{
    Functions all{};
    find(library, "nvmlInit_v2", all.init);
    find(library, "nvmlDeviceGetCount_v2", all.count);
    find(library, "nvmlDeviceGetHandleByIndex_v2", all.handle);
    find(library, "nvmlDeviceGetPciInfo_v3", all.pci);
    find(library, "nvmlDeviceGetPersistenceMode", all.persistence);
    find(library, "nvmlDeviceGetGpuFabricInfo", all.fabric);
    find(library, "nvmlDeviceGetTotalEccErrors", all.eccErrors);
    find(library, "nvmlDeviceGetRemappedRows", all.remappedRows);
    find(library, "nvmlDeviceGetCurrentClocksThrottleReasons", all.slowdowns);
    return all;
}

template <class... Parameters, class... Arguments>
bool ask(Result (*function)(Parameters...), Arguments... arguments)
{
    return function != nullptr && function(arguments...) == 0;
}

class Gpu {
public:
    Gpu(int out, const char* busId) : m_out(out), m_gpu(busId)
    {
        m_gpu = m_gpu.substr(std::min(m_gpu.size(), std::max<std::size_t>(m_gpu.find(':'), 4) - 4));
        std::ranges::transform(m_gpu, m_gpu.begin(),
                               [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    }
    void tell(const char* fact, const std::string& value) const
    {
        dprintf(m_out, "gpu.%s.%s %s\n", m_gpu.c_str(), fact, value.c_str());
    }

private:
    int m_out;
    std::string m_gpu; ///< "0000:17:00.0"
};

std::string slowdownText(unsigned long long reasons)
{
    constexpr std::array<std::pair<unsigned long long, const char*>, 3> kHardware{
        {{0x8, "hw_slowdown"}, {0x40, "hw_thermal_slowdown"}, {0x80, "hw_power_brake_slowdown"}}};
    std::string text;
    for (const auto& [bit, name] : kHardware) {
        if ((reasons & bit) != 0) {
            text += (text.empty() ? "" : ", ") + std::string(name);
        }
    }
    return text.empty() ? "none" : text;
}

void tellFabric(const Functions& nvml, Device device, const Gpu& gpu)
{
    constexpr std::array<const char*, 4> kStates{"", "Not Started", "In Progress", "Completed"};
    FabricInfo fabric{};
    if (ask(nvml.fabric, device, &fabric) && fabric.state > 0 && fabric.state < kStates.size()) {
        gpu.tell("fabric_state", kStates[fabric.state]);
        gpu.tell("fabric_status", fabric.status == 0 ? "Success" : "error " + std::to_string(fabric.status));
    }
}

void tellGpu(const Functions& nvml, Device device, const Gpu& gpu)
{
    const auto yes = [](bool is) { return is ? "Yes" : "No"; };
    int mode = 0;
    if (ask(nvml.persistence, device, &mode)) {
        gpu.tell("persistence_mode", mode == 1 ? "Enabled" : "Disabled");
    }
    tellFabric(nvml, device, gpu);
    unsigned long long number = 0;
    if (ask(nvml.eccErrors, device, kUncorrected, kVolatile, &number)) {
        gpu.tell("ecc_uncorrected", std::to_string(number));
    }
    std::array<unsigned, 4> rows{};
    if (ask(nvml.remappedRows, device, &rows[0], &rows[1], &rows[2], &rows[3])) {
        gpu.tell("row_remap_pending", yes(rows[2] != 0));
        gpu.tell("row_remap_failed", yes(rows[3] != 0));
    }
    if (ask(nvml.slowdowns, device, &number)) {
        gpu.tell("slowdowns", slowdownText(number));
    }
}

} // namespace

void tellNvmlFacts(int out)
{
    void* const library = dlopen("libnvidia-ml.so.1", RTLD_LAZY | RTLD_LOCAL);
    if (library == nullptr) {
        return;
    }
    const Functions nvml = load(library);
    unsigned count = 0;
    if (!ask(nvml.init) || !ask(nvml.count, &count)) {
        return;
    }
    for (unsigned index = 0; index < count; ++index) {
        Device device = nullptr;
        PciInfo place{};
        if (ask(nvml.handle, index, &device) && ask(nvml.pci, device, &place)) {
            place.busId[sizeof place.busId - 1] = '\0';
            tellGpu(nvml, device, Gpu(out, place.busId));
        }
    }
}

} // namespace ringside::doctor
