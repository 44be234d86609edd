// SPDX-License-Identifier: Apache-2.0
// Which driver an RDMA device has. Trees that were copied from a machine often lack the link that says it.
#pragma once
#include <string>

namespace ringside::host {

/// Of the device in CLASS/DEVICE: by its link, by its uevent, by its PCI vendor, or by counters that only one
/// driver has. Empty: nothing tells.
[[nodiscard]] std::string driverOf(const std::string& deviceFolder, const std::string& portFolder);

} // namespace ringside::host
