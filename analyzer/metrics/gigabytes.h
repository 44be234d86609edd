// SPDX-License-Identifier: Apache-2.0
// Bandwidths are measured in bytes a second and told in GB/s, as nccl-tests and network vendors tell them.
#pragma once

namespace ringside::metrics {

inline constexpr double kBytesAGigabyte = 1e9;

} // namespace ringside::metrics
