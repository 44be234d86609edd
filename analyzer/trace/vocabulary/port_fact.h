// SPDX-License-Identifier: Apache-2.0
// What is known of an RDMA port or a network interface for as long as it exists. In table `setting` the name
// of the port stands before the fact: "mlx5_0:1 firmware".
#pragma once
#include "trace/vocabulary/word.h"

#include <array>
#include <map>
#include <string>

namespace ringside::trace {

inline constexpr std::array kPortFacts{
    // RDMA ports, from sysfs, netlink and libibverbs.
    WordEntry{"link_layer", "InfiniBand or Ethernet."},
    WordEntry{"generation", "Speed of a lane by its name: HDR, NDR ..."},
    WordEntry{"hca_type", "Model of the adapter."},
    WordEntry{"board", "Board of the adapter (PSID)."},
    WordEntry{"firmware", "Version of the firmware."},
    WordEntry{"pci_path", "The PCI bridges above the device."},
    WordEntry{"transport", "iWARP; omitted for other ports."},
    WordEntry{"netdev", "Network interface of the port."},
    WordEntry{"bond", "Bond that the port's interface belongs to."},
    WordEntry{"physical_function", "PCI address of the physical function, if the device is a virtual one."},
    WordEntry{"pcie_max_gts", "Highest speed of the PCIe link, in GT/s a lane."},
    WordEntry{"pcie_max_lanes", "Most lanes of the PCIe link."},
    WordEntry{"gids", "Best kind of RoCE address that the port has."},
    WordEntry{"gid_table", "Index, RoCE version and reach of each RoCE address."},
    // RDMA ports and network interfaces.
    WordEntry{"driver", "Driver of the kernel."},
    WordEntry{"pci", "PCI address."},
    WordEntry{"numa_node", "NUMA node of the device."},
    // Network interfaces, from sysfs and netlink.
    WordEntry{"operstate", "State of the interface: up, down ..."},
    WordEntry{"duplex", "full or half."},
    WordEntry{"mtu", "Largest packet, in bytes."},
    WordEntry{"carrier_changes", "How often the link went up or down since it was made."},
    WordEntry{"speed_mbps", "Speed of the link, in Mb/s."},
    WordEntry{"master", "Bond or bridge that the interface belongs to."},
    WordEntry{"pcie_mbps", "Data rate of the card's PCIe link, in Mb/s."},
    WordEntry{"physical", "yes if a device backs the interface, otherwise no."},
    WordEntry{"default_route", "yes if the default route leads through it; otherwise omitted."},
    WordEntry{"pfc_priorities", "Priorities with flow control (PFC), none if it is off."},
    // Ports, from files of other tools.
    WordEntry{"could_be", "A better speed that both ends of the link support."},
    WordEntry{"receive_error_details", "Which errors a port's count of receive errors consists of."},
    WordEntry{"module", "Maker and part number of the cable or module."},
    WordEntry{"module_celsius", "Temperature of the module, in degrees C."},
    WordEntry{"module_celsius_warning", "From this temperature the module warns."},
    WordEntry{"module_celsius_alarm", "From this temperature the module raises an alarm."},
    WordEntry{"module_alarms", "Alarms that the module has raised."},
    WordEntry{"light_dbm", "Weakest light that a channel receives, in dBm."},
    WordEntry{"light_dbm_warning", "Below this light the module warns."},
    WordEntry{"light_dbm_alarm", "Below this light the module raises an alarm."},
    WordEntry{"effective_ber", "Rate of wrong bits after correction."},
    WordEntry{"raw_ber", "Rate of wrong bits before correction."},
    WordEntry{"minutes_since_clear", "Minutes since the counters were set to zero."},
    WordEntry{"fec", "Error correction of the link."},
    WordEntry{"recommendation", "What mlxlink recommends."},
    WordEntry{"node", "switch if the port is a switch's; otherwise omitted."},
    WordEntry{"read_by", "Tool whose file has totals of the port."},
    WordEntry{"far_end", "Port at the other end of the cable."},
};
using PortFact = Word<kPortFacts>;

/// Facts of one port or interface.
using PortFacts = std::map<PortFact, std::string>;

} // namespace ringside::trace
