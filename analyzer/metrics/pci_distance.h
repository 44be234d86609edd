// SPDX-License-Identifier: Apache-2.0
// Computes the PCIe distance of two devices from the bridges above them, with the classes of
// `nvidia-smi topo` and NCCL. Rules and the doctor use it.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

namespace ringside::metrics {

/// Distances, ordered from near to far.
enum class PciDistance : std::uint8_t {
    Switch,     ///< PIX, PXB: behind a common bridge below the root complex
    HostBridge, ///< PHB: through a root complex
    Node,       ///< NODE: through two root complexes of one NUMA node
    System,     ///< SYS: from one NUMA node to another
};

struct PciPlace {
    std::string_view path;            ///< as in sysfs: "pci0000:16/0000:16:01.0/0000:17:00.0"
    std::optional<std::int64_t> node; ///< NUMA node; null if the firmware does not report it
};

/// Returns the distance. Null if a path is not known, or the root complexes differ and a node is not known.
[[nodiscard]] inline std::optional<PciDistance> pciDistance(const PciPlace& one, const PciPlace& other)
{
    if (one.path.empty() || other.path.empty()) {
        return std::nullopt;
    }
    std::string_view a = one.path;
    std::string_view b = other.path;
    std::size_t shared = 0; // number of common components from the root
    while (!a.empty() && !b.empty() && a.substr(0, a.find('/')) == b.substr(0, b.find('/'))) {
        ++shared;
        a = a.find('/') == std::string_view::npos ? std::string_view() : a.substr(a.find('/') + 1);
        b = b.find('/') == std::string_view::npos ? std::string_view() : b.substr(b.find('/') + 1);
    }
    if (shared >= 2) { // the root complex and a port or bridge below it
        return PciDistance::Switch;
    }
    if (shared == 1) {
        return PciDistance::HostBridge;
    }
    if (!one.node || !other.node) {
        return std::nullopt;
    }
    return *one.node == *other.node ? PciDistance::Node : PciDistance::System;
}

/// Returns the position of the other device for a sentence, such as "behind the same PCIe switch".
[[nodiscard]] inline std::string_view pciDistanceText(PciDistance distance)
{
    switch (distance) {
    case PciDistance::Switch:
        return "behind the same PCIe switch";
    case PciDistance::HostBridge:
        return "at the same root complex of the CPU";
    case PciDistance::Node:
        return "at another root complex of the same NUMA node";
    default:
        return "at another NUMA node";
    }
}

} // namespace ringside::metrics
