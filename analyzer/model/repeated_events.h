// SPDX-License-Identifier: Apache-2.0
// Lists the host events of a process that repeat in every step, from which steps without marks are found:
// collectives that ran, and launches of CUDA graphs. It also marks where the optimizer ran, which happens
// once in a step.
#pragma once
#include "model/time.h"

#include <ringside/trace/reader.h>

#include <cstdint>
#include <vector>

namespace ringside::model {

struct RepeatedEvent {
    Interval time;
    std::uint64_t token = 0;     ///< the same for the same kind of call, of the same size
    std::uint64_t fullToken = 0; ///< `token`; if the size is not known, also the kernels launched before
    std::uint64_t kind = 0;      ///< the same for the same function on the same communicator
    std::size_t call = 0;        ///< row of collectiveCalls; has no meaning for a launch
    std::uint64_t launch = 0;    ///< launch of a CUDA graph; 0 for a call
    bool fewBytes = false;       ///< less than 4 KiB: a loss, a norm or a flag
    /// A reduction of more than that, of gradients or of a layer's partial sums. Also true for launches of
    /// graphs, which may hold such reductions.
    bool reduces = false;
    bool optimizerBefore = false; ///< the optimizer ran since the event before this one
};

/// Returns the events of a process in the order of the calls.
[[nodiscard]] std::vector<RepeatedEvent> repeatedEvents(const trace::ProcessTrace& process);

} // namespace ringside::model
