// SPDX-License-Identifier: Apache-2.0
// How long each rank has been waiting.
#pragma once
#include <cstdint>

namespace ringside::hang {

/// How long a rank has been waiting. Functions take one for each rank, in the order of Model::ranks.
struct RankTimes {
    std::int64_t untilNs = 0; ///< waiting counts until this time, on its host's clock
    bool openHang =
        false; ///< its watchdog noticed a hang that did not end, or it gave up a collective and ended
    bool inCall = false;  ///< a thread has been in one call for at least the limit of a hang
    bool untimed = false; ///< its calls have no times: how long the last one has waited is not known
    bool waits = false;   ///< inCall; or its watchdog noticed a hang, and no thread has made a call since
};

} // namespace ringside::hang
