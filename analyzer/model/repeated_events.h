// SPDX-License-Identifier: Apache-2.0
// What a process does again and again on the host, by which steps without marks are found: collectives that
// run, and launches of CUDA graphs.
#pragma once
#include "model/time.h"

#include <ringside/trace/reader.h>

#include <cstdint>
#include <vector>

namespace ringside::model {

struct RepeatedEvent {
    Interval time;
    std::uint64_t token = 0;     ///< the same for the same kind of call
    std::uint64_t fullToken = 0; ///< where sizes are not known, also by what was launched before it
    std::size_t call = 0;        ///< row of collectiveCalls; of a launch of no meaning
    std::uint64_t launch = 0;    ///< of the CUDA graph, 0: a call
};

/// In the order of the calls.
[[nodiscard]] std::vector<RepeatedEvent> repeatedEvents(const trace::ProcessTrace& process);

} // namespace ringside::model
