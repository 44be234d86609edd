// SPDX-License-Identifier: Apache-2.0
// NVLink counters of one link or of all.
#pragma once
#include "session.h"

namespace ringside::nvml {

/// Returns the number of links of the device; nullopt if the script does not set it.
[[nodiscard]] std::optional<unsigned> linkCount(nvmlDevice_t device);
/// Returns the sum over all links; nullopt if the value of a link is unknown.
[[nodiscard]] std::optional<double> sumOfLinks(nvmlDevice_t device, Reading reading);

} // namespace ringside::nvml
