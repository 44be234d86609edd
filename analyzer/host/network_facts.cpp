// SPDX-License-Identifier: Apache-2.0
#include "host/network_facts.h"

#include "host/input_file.h"
#include "host/sysfs_text.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <sstream>
#include <system_error>

namespace ringside::host {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t kMostInterfaces = 256;

void add(trace::PortFacts& facts, const trace::PortFact& name, const std::string& value)
{
    // Drivers without a speed or a node report -1, or nothing.
    if (!value.empty() && value != "-1") {
        facts.emplace(name, value);
    }
}

/// Returns the interface of the route to 0.0.0.0; empty if there is none.
std::string defaultRoute(const std::string& procRoot)
{
    constexpr int kMostRoutes = 10'000;
    InputFile file(procRoot + "/net/route");
    std::string line;
    for (int count = 0; count < kMostRoutes && std::getline(file, line); ++count) {
        std::istringstream words(line);
        std::string interface;
        std::string destination;
        if (words >> interface >> destination && destination == "00000000") {
            return interface;
        }
    }
    return {};
}

trace::PortFacts interfaceIn(const std::string& folder)
{
    trace::PortFacts facts;
    for (const trace::PortFact& fact : std::array<trace::PortFact, 4>{
             "operstate", "duplex", "mtu", "carrier_changes"}) { // also the files' names
        add(facts, fact, readText((fs::path(folder) / fact.text()).string()).text);
    }
    add(facts, "speed_mbps", readText(folder + "/speed").text);
    add(facts, "driver", linkName(folder + "/device/driver"));
    add(facts, "pci", linkName(folder + "/device"));
    add(facts, "numa_node", readText(folder + "/device/numa_node").text);
    add(facts, "master", linkName(folder + "/master"));
    const auto pcie = pcieMbps(readText(folder + "/device/current_link_speed").text,
                               readText(folder + "/device/current_link_width").text);
    add(facts, "pcie_mbps", pcie ? std::to_string(*pcie) : "");
    std::error_code error;
    facts.insert_or_assign("physical", fs::exists(folder + "/device", error) ? "yes" : "no");
    return facts;
}

} // namespace

std::map<std::string, trace::PortFacts> interfaceFacts(const std::string& sysfsRoot,
                                                       const std::string& procRoot)
{
    std::map<std::string, trace::PortFacts> all;
    for (const std::string& name : namesIn(sysfsRoot + "/class/net")) {
        const std::string folder = (fs::path(sysfsRoot) / "class/net" / name).string();
        std::error_code error; // bonding_masters in the same folder is a file
        if (all.size() < kMostInterfaces && fs::is_directory(folder, error)) {
            all.emplace(name, interfaceIn(folder));
        }
    }
    if (const auto routed = all.find(defaultRoute(procRoot)); routed != all.end()) {
        routed->second.insert_or_assign("default_route", "yes");
    }
    return all;
}

std::map<std::string, std::string> kernelFacts(const std::string& procRoot)
{
    constexpr std::array<const char*, 13> kNames{
        "net.core.default_qdisc",  "net.core.netdev_max_backlog",
        "net.core.rmem_max",       "net.core.somaxconn",
        "net.core.wmem_max",       "net.ipv4.tcp_congestion_control",
        "net.ipv4.tcp_rmem",       "net.ipv4.tcp_sack",
        "net.ipv4.tcp_timestamps", "net.ipv4.tcp_window_scaling",
        "net.ipv4.tcp_wmem",       "kernel.numa_balancing",
        "vm.swappiness",
    };
    std::map<std::string, std::string> facts;
    for (const char* const name : kNames) {
        std::string path = procRoot + "/sys/";
        path += name;
        std::replace(path.begin() + static_cast<std::ptrdiff_t>(procRoot.size()), path.end(), '.', '/');
        std::string value = readText(path).text;
        std::ranges::replace(value, '?', ' '); // the kernel separates several numbers with tabs
        if (!value.empty()) {
            facts.emplace(name, value);
        }
    }
    return facts;
}

std::string pciPath(const std::string& sysfsRoot, const std::string& address)
{
    constexpr std::string_view kRoot = "/devices/pci";
    constexpr std::size_t kLongest = 512;
    std::error_code error;
    const std::string path = fs::canonical(sysfsRoot + "/bus/pci/devices/" + address, error).string();
    const std::size_t begin = path.rfind(kRoot);
    if (error || address.empty() || begin == std::string::npos || path.size() - begin > kLongest) {
        return {};
    }
    return path.substr(begin + std::string_view("/devices/").size());
}

std::string gpuDirect(const std::string& sysfsRoot, const std::string& procRoot)
{
    std::error_code error;
    const auto isLoaded = [&](const char* module) {
        return fs::exists(sysfsRoot + "/module/" + module, error);
    };
    if (isLoaded("nvidia_peermem") || isLoaded("nv_peer_mem")) {
        return "nvidia_peermem";
    }
    InputFile file(procRoot + "/driver/nvidia/version");
    std::string version;
    std::getline(file, version);
    if (version.find("Open Kernel Module") != std::string::npos) {
        return "dma-buf";
    }
    return isLoaded("nvidia") || !version.empty() ? "none" : "";
}

} // namespace ringside::host
