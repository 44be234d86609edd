// SPDX-License-Identifier: Apache-2.0
// Times of transfers on the device model's links. They are minimums: the real transfer may take longer.
#pragma once
#include "operation.h"

#include <chrono>
#include <vector>

namespace ringside::nccl {

/// Returns the time from the last rank's arrival to the end of one launch's operations, by the model's keys
/// `link_*` and `slow_link_*` (device_model.md); 0 without these keys. Collectives run at the rate of the
/// slowest link that they use. A rank's sends share its outgoing link, its receives the incoming one.
[[nodiscard]] std::chrono::nanoseconds modelledTime(const std::vector<Operation>& operations);

} // namespace ringside::nccl
