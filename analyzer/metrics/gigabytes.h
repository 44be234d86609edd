// SPDX-License-Identifier: Apache-2.0
// Bandwidths are measured in bytes per second and shown in GB/s of 1e9 bytes, as in nccl-tests.
#pragma once

namespace ringside::metrics {

inline constexpr double kBytesPerGigabyte = 1e9;

} // namespace ringside::metrics
