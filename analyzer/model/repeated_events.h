// SPDX-License-Identifier: Apache-2.0
// What a process does again and again on the host, by which steps without marks are found: collectives that
// run, and launches of CUDA graphs. Beside them, where the optimizer was seen: once a step.
#pragma once
#include "model/time.h"

#include <ringside/trace/reader.h>

#include <cstdint>
#include <vector>

namespace ringside::model {

struct RepeatedEvent {
    Interval time;
    std::uint64_t token = 0;     ///< the same for the same kind of call, of the same size
    std::uint64_t fullToken = 0; ///< where sizes are not known, also by what was launched before it
    std::uint64_t kind = 0;      ///< the same for the same function on the same communicator
    std::size_t call = 0;        ///< row of collectiveCalls; of a launch of no meaning
    std::uint64_t launch = 0;    ///< of the CUDA graph, 0: a call
    bool fewBytes = false;       ///< a loss, a norm or a flag
    bool reduces =
        false; ///< more than that: gradients, or a layer's partial sums; also what a graph may hold
    bool optimizerBefore = false; ///< the optimizer ran since the event before this one
};

/// In the order of the calls.
[[nodiscard]] std::vector<RepeatedEvent> repeatedEvents(const trace::ProcessTrace& process);

} // namespace ringside::model
