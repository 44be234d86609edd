// SPDX-License-Identifier: Apache-2.0
// How long transfers take on the device model's links. A floor: the real transfer may take longer.
#pragma once
#include "operation.h"

#include <chrono>

namespace ringside::nccl {

/// What an operation puts on one link, and in how many dependent steps.
struct LinkLoad {
    double bytes = 0;
    double steps = 0;
};

[[nodiscard]] LinkLoad loadOf(const Operation& operation, int ranks);
/// The time from the last rank's arrival to the end, by the model's `link_bandwidth` (bytes/s) and
/// `link_latency_ns`; 0 where the model says nothing.
[[nodiscard]] std::chrono::nanoseconds modelledTime(const LinkLoad& load);

} // namespace ringside::nccl
