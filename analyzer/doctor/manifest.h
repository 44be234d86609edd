// SPDX-License-Identifier: Apache-2.0
// What a host of a kind has: its rails, GPUs and other links with their number, rate, width, slot and name. A
// manifest is short enough to be read, changed and kept beside the configuration of a cluster; hosts are
// compared with it by the role of each device, so that other names or slots do not hide what is missing.
#pragma once
#include "doctor/check.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace ringside::doctor {

/// A device of a host. Empty texts are not known and not compared.
struct Device {
    std::string name;  ///< "mlx5_0/1", an interface; a GPU has its slot
    std::string slot;  ///< PCI address
    std::string kind;  ///< the adapter's type
    std::string state; ///< of an RDMA port, as the kernel writes it: "4: ACTIVE"
    std::string rate;  ///< as the kernel writes it: "400 Gb/sec (4X NDR)"
    std::string pcie;  ///< "32.0 GT/s PCIe x16"
};
/// Devices by role: "rail", "bond", "storage", "management" (RDMA ports), "gpu", "interface".
using Manifest = std::map<std::string, std::vector<Device>, std::less<>>;

[[nodiscard]] Manifest manifestOf(const Facts& facts);
[[nodiscard]] std::string manifestText(const Manifest& manifest);

/// Whether a text of --expect is a manifest and not a list of facts.
[[nodiscard]] bool isManifest(std::string_view text);
/// Throws ringside::Error (Unusable), naming `path`, if the text is no manifest of a known version.
[[nodiscard]] Manifest manifestIn(const std::string& path, std::string_view text);

/// Returns what the host lacks, what runs slower, what sits elsewhere, and what nobody expected.
[[nodiscard]] std::vector<Advice> deviations(const Manifest& expected, const Facts& facts);

} // namespace ringside::doctor
