// SPDX-License-Identifier: Apache-2.0
#include "probe/rdma_choice.h"

#include "host/sysfs_text.h"
#include "probe/name_pattern.h"

#include <fmt/format.h>

#include <cerrno>
#include <optional>

namespace ringside::probe {
namespace {

using host::readText;

/// Returns how well a GID suits RoCE; 0: not at all. NCCL prefers an IPv4 address with version 2.
int preference(const std::string& gid, const std::string& type)
{
    if (gid.find_first_not_of("0:") == std::string::npos) {
        return 0; // an unused entry
    }
    if (type != "RoCE v2") {
        return 1;
    }
    return gid.starts_with("fe80") ? 2 : gid.starts_with("0000:0000:0000:0000:0000:ffff") ? 4 : 3;
}

int bestGid(const std::string& folder)
{
    constexpr int kMost = 256;
    int best = 0;
    int bestWorth = 0;
    for (int index = 0; index < kMost; ++index) {
        const host::FileText gid = readText(fmt::format("{}/gids/{}", folder, index));
        if (gid.error == ENOENT) {
            break;
        }
        const host::FileText type = readText(fmt::format("{}/gid_attrs/types/{}", folder, index));
        const int found = preference(gid.text, type.text);
        if (found > bestWorth) {
            best = index;
            bestWorth = found;
        }
    }
    return best;
}

/// Returns the number that a variable holds, if it is one in range.
std::optional<int> settingIn(const std::string& text, std::uint64_t most)
{
    const auto number = host::numberIn(text);
    return number && *number <= most ? std::optional(static_cast<int>(*number)) : std::nullopt;
}

RdmaPort portAt(const std::string& device, unsigned number, const std::string& folder,
                const RdmaSettings& settings)
{
    constexpr std::uint64_t kMostIndex = 255;
    constexpr std::uint64_t kMostLevel = 15;
    constexpr std::uint64_t kMostClass = 255;
    RdmaPort port{device, number, 0, readText(folder + "/link_layer").text == "Ethernet"};
    port.gidIndex = settingIn(settings.gidIndex, kMostIndex).value_or(port.ethernet ? bestGid(folder) : 0);
    port.serviceLevel = settingIn(settings.serviceLevel, kMostLevel).value_or(0);
    port.trafficClass = settingIn(settings.trafficClass, kMostClass).value_or(0);
    return port;
}

} // namespace

RdmaChoice ncclWouldUse(const std::string& sysfsRoot, const RdmaSettings& settings)
{
    constexpr std::uint64_t kActive = 4;
    constexpr std::uint64_t kMostNumber = 255;
    if (!settings.disabled.empty() && settings.disabled != "0") {
        return {{}, "NCCL_IB_DISABLE is set"};
    }
    RdmaChoice choice;
    const NamePattern pattern(settings.devices);
    const std::string classFolder = sysfsRoot + "/class/infiniband";
    const auto devices = host::namesIn(classFolder);
    for (const std::string& device : devices) {
        const std::string portFolder = fmt::format("{}/{}/ports", classFolder, device);
        for (const std::string& name : host::namesIn(portFolder)) {
            const std::string folder = fmt::format("{}/{}", portFolder, name);
            const auto number = host::numberIn(name);
            const bool mayUse = settings.devices.empty() || pattern.matches(device, name);
            if (number && *number <= kMostNumber && mayUse &&
                host::codeIn(readText(folder + "/state").text) == kActive &&
                choice.ports.size() < kMostRails) {
                choice.ports.push_back(portAt(device, static_cast<unsigned>(*number), folder, settings));
            }
        }
    }
    if (choice.ports.empty()) {
        choice.reason = devices.empty()
                            ? "no RDMA device"
                            : "no RDMA port is active, or NCCL_IB_HCA matches none of the active ones";
    }
    return choice;
}

} // namespace ringside::probe
