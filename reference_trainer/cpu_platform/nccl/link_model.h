// SPDX-License-Identifier: Apache-2.0
// How long transfers take on the device model's links. A floor: the real transfer may take longer.
#pragma once
#include "operation.h"

#include <chrono>
#include <vector>

namespace ringside::nccl {

/// The time from the last rank's arrival to the end of one launch's operations, by the model's keys `link_*`
/// and `slow_link_*` (device_model.md); 0 where the model says nothing. Collectives follow each other at the
/// pace of the slowest link they use; a rank's sends share its way out, its receives its way in.
[[nodiscard]] std::chrono::nanoseconds modelledTime(const std::vector<Operation>& operations);

} // namespace ringside::nccl
