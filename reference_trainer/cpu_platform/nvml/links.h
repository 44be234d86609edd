// SPDX-License-Identifier: Apache-2.0
// NVLink counters of one link or of all.
#pragma once
#include "session.h"

namespace ringside::nvml {

/// How many links the device has; nullopt where the script does not say.
[[nodiscard]] std::optional<unsigned> linkCount(nvmlDevice_t device);
/// The sum over all links; nullopt unless it is known of each.
[[nodiscard]] std::optional<double> sumOfLinks(nvmlDevice_t device, Reading reading);

} // namespace ringside::nvml
