// SPDX-License-Identifier: Apache-2.0
// Facts of a machine's network that do not change during a run: its interfaces, the kernel's TCP settings,
// the places of devices on PCIe, and whether adapters can access GPU memory. Shared by the collector and the
// doctor. Only reads; missing facts are omitted.
#pragma once
#include "trace/vocabulary/port_fact.h"

#include <map>
#include <string>

namespace ringside::host {

/// Returns facts by interface: operstate, speed_mbps, duplex, mtu, carrier_changes, driver, pci, numa_node,
/// master, pcie_mbps (data rate of the card's PCIe link), physical ("yes" if a device backs the interface,
/// otherwise "no"), default_route ("yes", otherwise omitted). At most 256 interfaces. The roots are "/sys"
/// and "/proc", or similar trees.
[[nodiscard]] std::map<std::string, trace::PortFacts> interfaceFacts(const std::string& sysfsRoot,
                                                                     const std::string& procRoot);

/// Returns "net.ipv4.tcp_rmem" and other settings that matter for training over sockets; several numbers are
/// separated by single blanks.
[[nodiscard]] std::map<std::string, std::string> kernelFacts(const std::string& procRoot);

/// Returns the bridges above a device: "pci0000:16/0000:16:01.0/0000:17:00.0". Empty if not known.
[[nodiscard]] std::string pciPath(const std::string& sysfsRoot, const std::string& address);

/// Returns how adapters can access GPU memory: "nvidia_peermem", "dma-buf" (with the open kernel module), or
/// "none". Empty if NVIDIA's driver is missing.
[[nodiscard]] std::string gpuDirect(const std::string& sysfsRoot, const std::string& procRoot);

} // namespace ringside::host
