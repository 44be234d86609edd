// SPDX-License-Identifier: Apache-2.0
// Who waits for whom in which collective.
#pragma once
#include "live/view.h"

namespace ringside::live {

/// A communicator whose members have not all issued the same collective for so long is told. Snapshots of
/// hosts are up to two periods apart, and hosts run ahead of their GPUs.
inline constexpr std::int64_t kLongWaitMs = 6000;

[[nodiscard]] std::vector<Wait> findWaits(const RunNow& run);

} // namespace ringside::live
