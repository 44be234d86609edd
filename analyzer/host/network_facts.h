// SPDX-License-Identifier: Apache-2.0
// What a machine's network is, as far as it does not change in a run: its interfaces, the kernel's settings
// for TCP, where devices sit on PCIe, and whether adapters may reach the memory of GPUs. Read by the
// collector and by the doctor, so that both know the same. Only reads; what is not there is left out.
#pragma once
#include <map>
#include <string>

namespace ringside::host {

using Facts = std::map<std::string, std::string>;

/// By interface: operstate, speed_mbps, duplex, mtu, carrier_changes, driver, pci, numa_node, master,
/// pcie_mbps (of data that its card's PCIe link carries), physical ("yes" where a device is behind it, else
/// "no"), default_route ("yes", else left out). At most 256 interfaces. Roots are "/sys" and "/proc", or
/// trees like them.
[[nodiscard]] std::map<std::string, Facts> interfaceFacts(const std::string& sysfsRoot,
                                                          const std::string& procRoot);

/// "net.ipv4.tcp_rmem" and others that training over sockets meets; several numbers with single blanks.
[[nodiscard]] Facts kernelFacts(const std::string& procRoot);

/// The bridges down to a device: "pci0000:16/0000:16:01.0/0000:17:00.0". Empty: not known.
[[nodiscard]] std::string pciPath(const std::string& sysfsRoot, const std::string& address);

/// By what adapters may reach the memory of GPUs: "nvidia_peermem", "dma-buf" (the open kernel module's), or
/// "none". Empty: there is no driver of NVIDIA's.
[[nodiscard]] std::string gpuDirect(const std::string& sysfsRoot, const std::string& procRoot);

} // namespace ringside::host
