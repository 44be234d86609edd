// SPDX-License-Identifier: Apache-2.0
// Who waits for whom in which collective.
#pragma once
#include "live/snapshot.h"

namespace ringside::live {

/// Ranks that wait in a collective which others have not reached.
struct Wait {
    std::string communicator; ///< hash
    std::int64_t sequence = 0;
    std::string api;
    std::int64_t sinceMs = 0;
    std::vector<std::int64_t> waiting;
    std::vector<std::int64_t> missing;
    std::int64_t notSeen = 0; ///< members of the communicator of which nothing is known
};

/// A communicator whose members have not all issued the same collective for so long is told. Snapshots of
/// hosts are up to two periods apart, and hosts run ahead of their GPUs.
inline constexpr std::int64_t kLongWaitMs = 6000;

[[nodiscard]] std::vector<Wait> findWaits(const RunNow& run);

} // namespace ringside::live
