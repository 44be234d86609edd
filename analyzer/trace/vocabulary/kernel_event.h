// SPDX-License-Identifier: Apache-2.0
// Messages of a Linux kernel, and of NCCL about its network, that matter for links and GPUs. A run that is
// made from such a log has a series of source kKernelLog for each device and kind of message; its samples are
// ids of the messages' lines in the string table.
#pragma once
#include "trace/vocabulary/word.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace ringside::trace {

inline constexpr std::string_view kKernelLog = "kernel_log";

enum class KernelEvent : std::uint8_t {
    LinkDown,
    LinkUp,
    SlotPower,
    ModuleHeat,
    ModuleError,
    FirmwareError,
    PcieCorrected,
    PcieUncorrected,
    PcieFatal,
    Xid,
    NetFailover,
    NetFatal,
    NetCompletion,
    NetPortDown,
    NetPortUp,
    NetSpeed,
};

inline constexpr std::array kKernelEvents{
    WordEntry{"link_down", "A network interface lost its link."},
    WordEntry{"link_up", "A network interface got its link."},
    WordEntry{"slot_power", "An adapter says that its PCIe slot gives too little power."},
    WordEntry{"module_heat", "The module in an adapter's port, or the adapter, is too hot."},
    WordEntry{"module_error", "The module in an adapter's port does not work."},
    WordEntry{"firmware_error", "An adapter's firmware failed, or does not answer."},
    WordEntry{"pcie_corrected", "PCIe repeated or corrected something (AER)."},
    WordEntry{"pcie_uncorrected", "PCIe lost something, and the link goes on (AER)."},
    WordEntry{"pcie_fatal", "The PCIe link is no longer reliable (AER)."},
    WordEntry{"xid", "NVIDIA's driver reported a fault of a GPU."},
    WordEntry{"net_failover", "NCCL gave a port up and went on with another one."},
    WordEntry{"net_fatal", "An error of the network ended an NCCL connection."},
    WordEntry{"net_completion", "An NCCL transfer failed."},
    WordEntry{"net_port_down", "NCCL saw a port lose its link."},
    WordEntry{"net_port_up", "NCCL saw a port get its link."},
    WordEntry{"net_speed", "NCCL saw the speed of a port change."},
};

[[nodiscard]] constexpr std::string_view wordOf(KernelEvent event)
{
    return kKernelEvents[static_cast<std::size_t>(event)].text;
}

} // namespace ringside::trace
