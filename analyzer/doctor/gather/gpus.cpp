// SPDX-License-Identifier: Apache-2.0
// Configuration and health of NVIDIA GPUs: from the driver's library on this host, or from the output of
// `nvidia-smi -q -x` in nvidia-smi.xml for the copy of another host.
#include "doctor/child.h"
#include "doctor/gatherer.h"
#include "doctor/nvidia_smi.h"
#include "host/nvml/library.h"
#include "trace/vocabulary/clock_reasons.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>

namespace ringside::doctor::gatherer_gpus {
namespace {

// Facts of this host's GPUs from NVML.

namespace nvml = host::nvml;

template <class... Parameters, class... Arguments>
bool query(nvml::Result (*function)(Parameters...), Arguments... arguments)
{
    return nvml::callIfThere(function, arguments...) == nvml::kSuccess;
}

class Gpu {
public:
    Gpu(int out, const char* busId) : m_out(out), m_gpu(busId)
    {
        m_gpu = m_gpu.substr(std::min(m_gpu.size(), std::max<std::size_t>(m_gpu.find(':'), 4) - 4));
        std::ranges::transform(m_gpu, m_gpu.begin(),
                               [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    }
    void writeFact(const char* fact, const std::string& value) const
    {
        dprintf(m_out, "gpu.%s.%s %s\n", m_gpu.c_str(), fact, value.c_str());
    }

private:
    int m_out;
    std::string m_gpu; ///< "0000:17:00.0"
};

std::string slowdownText(unsigned long long reasons)
{
    using namespace trace::clock_reasons;
    constexpr std::array<std::pair<std::int64_t, const char*>, 3> kHardware{
        {{kHardwareSlowdown, "hw_slowdown"},
         {kHardwareThermal, "hw_thermal_slowdown"},
         {kPowerBrake, "hw_power_brake_slowdown"}}};
    std::string text;
    for (const auto& [bit, name] : kHardware) {
        if ((static_cast<std::int64_t>(reasons) & bit) != 0) {
            text += (text.empty() ? "" : ", ") + std::string(name);
        }
    }
    return text.empty() ? "none" : text;
}

void writeFabricFacts(const nvml::Library& library, nvml::Device device, const Gpu& gpu)
{
    constexpr std::array<const char*, 4> kStates{"", "Not Started", "In Progress", "Completed"};
    nvml::FabricInfo fabric{};
    if (query(library.fabric, device, &fabric) && fabric.state > 0 && fabric.state < kStates.size()) {
        gpu.writeFact("fabric_state", kStates[fabric.state]);
        gpu.writeFact("fabric_status",
                      fabric.status == 0 ? "Success" : "error " + std::to_string(fabric.status));
    }
}

void writeGpuFacts(const nvml::Library& library, nvml::Device device, const Gpu& gpu)
{
    const auto yes = [](bool is) { return is ? "Yes" : "No"; };
    int mode = 0;
    if (query(library.persistence, device, &mode)) {
        gpu.writeFact("persistence_mode", mode == nvml::kEnabled ? "Enabled" : "Disabled");
    }
    writeFabricFacts(library, device, gpu);
    unsigned long long number = 0;
    if (query(library.eccErrors, device, nvml::kEccUncorrected, nvml::kEccVolatile, &number)) {
        gpu.writeFact("ecc_uncorrected", std::to_string(number));
    }
    std::array<unsigned, 4> rows{};
    if (query(library.remappedRows, device, &rows[0], &rows[1], &rows[2], &rows[3])) {
        gpu.writeFact("row_remap_pending", yes(rows[2] != 0));
        gpu.writeFact("row_remap_failed", yes(rows[3] != 0));
    }
    if (query(library.clockReasons, device, &number)) {
        gpu.writeFact("slowdowns", slowdownText(number));
    }
}

/// Loads libnvidia-ml.so.1, which may hang, and writes a line "FACT VALUE" for each fact of a GPU:
/// gpu.ADDRESS. and persistence_mode, fabric_state, fabric_status, ecc_uncorrected, row_remap_pending,
/// row_remap_failed or slowdowns. Values are written as nvidia-smi writes them. Writes nothing if there is no
/// driver.
void writeNvmlFacts(int out)
{
    nvml::Library library;
    unsigned count = 0;
    if (!library.load() || !query(library.init) || !query(library.deviceCount, &count)) {
        return;
    }
    for (unsigned index = 0; index < count; ++index) {
        nvml::Device device = nullptr;
        nvml::PciInfo place{};
        if (query(library.deviceByIndex, index, &device) && query(library.pci, device, &place)) {
            place.busId[sizeof place.busId - 1] = '\0';
            writeGpuFacts(library, device, Gpu(out, place.busId));
        }
    }
}

std::string contents(const std::filesystem::path& path)
{
    constexpr std::size_t kMostBytes = std::size_t{64} << 20U;
    std::ifstream file(path);
    std::string text(kMostBytes, '\0');
    file.read(text.data(), static_cast<std::streamsize>(text.size()));
    text.resize(static_cast<std::size_t>(std::max<std::streamsize>(file.gcount(), 0)));
    return text;
}

void gather(const Root& root, Facts& facts)
{
    if (!root.live()) {
        if (std::filesystem::exists(root.path("/nvidia-smi.xml"))) {
            ringside::doctor::addNvidiaSmi(contents(root.path("/nvidia-smi.xml")), facts);
        }
        return;
    }
    std::istringstream lines(ringside::doctor::outputOfChild(writeNvmlFacts));
    for (std::string line; std::getline(lines, line);) {
        if (const std::size_t blank = line.find(' '); blank != std::string::npos) {
            facts.set(line.substr(0, blank), line.substr(blank + 1));
        }
    }
}

} // namespace

RINGSIDE_GATHERER(gather);

} // namespace ringside::doctor::gatherer_gpus
