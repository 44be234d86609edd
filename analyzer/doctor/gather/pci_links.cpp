// SPDX-License-Identifier: Apache-2.0
// GPUs, network cards and NVMe disks on PCIe: the present and the possible speed of their links, and their
// NUMA node.
#include "doctor/gatherer.h"
#include "host/network_facts.h"

namespace ringside::doctor::gatherer_pci_links {
namespace {

/// Returns the kind by PCI class code (first two bytes) and vendor; empty: none of these.
std::string kindOf(std::string_view classCode, std::string_view vendor)
{
    const bool display = classCode.starts_with("0x0300") || classCode.starts_with("0x0302");
    const bool network = classCode.starts_with("0x0200") || classCode.starts_with("0x0207");
    const bool gpu = display && (vendor == "0x10de" || vendor == "0x1002");
    return gpu ? "gpu" : network ? "nic" : classCode.starts_with("0x0108") ? "disk" : "";
}

constexpr std::string_view kFiles[] = {"current_link_speed", "max_link_speed", "current_link_width",
                                       "max_link_width", "numa_node"};

void gather(const Root& root, Facts& facts)
{
    for (const std::string& address : root.entries("/sys/bus/pci/devices")) {
        const std::string folder = "/sys/bus/pci/devices/" + address + "/";
        const auto vendor = root.line(folder + "vendor");
        const std::string kind = kindOf(root.line(folder + "class").value_or(""), vendor.value_or(""));
        if (kind.empty()) {
            continue;
        }
        std::string fact = kind;
        fact.append(".").append(address).append(".");
        for (const std::string_view file : kFiles) {
            // A virtual function has no link of its own: "Unknown", width 0 or 255. Node -1: the firmware
            // does not report it.
            const auto value = root.line(folder + std::string(file));
            if (value && !value->starts_with("Unknown") && *value != "0" && *value != "255" &&
                *value != "-1") {
                facts.set(fact + std::string(file), *value);
            } else if (value && *value == "0" && file == "numa_node") {
                facts.set(fact + "numa_node", "0");
            }
        }
        if (const std::string path = ringside::host::pciPath(root.path("/sys"), address); !path.empty()) {
            facts.set(fact + "path", path);
        }
        if (vendor) {
            facts.set(fact + "vendor", *vendor);
        }
    }
}

} // namespace

RINGSIDE_GATHERER(gather);

} // namespace ringside::doctor::gatherer_pci_links
