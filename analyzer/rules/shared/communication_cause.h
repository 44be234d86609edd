// SPDX-License-Identifier: Apache-2.0
// Divides exposed communication into the causes that are measured, and what is not, and names the biggest, so
// that the rules about communication point to one place instead of each guessing. Where the arrival of a
// collective's other ranks is not known, as in the trace of one rank of many, waiting for them looks like
// transfer.
#pragma once
#include "metrics/pipeline.h"
#include "rules/shared/support.h"

#include <array>

namespace ringside::rules {

struct CommunicationCause {
    std::int64_t nsPerStep = 0;   ///< of the exposed communication
    std::string_view what;        ///< "waiting for late ranks"
    std::string_view lookAt;      ///< where the report says more
    std::string_view remedy;      ///< one sentence
    bool overlapWouldHelp = true; ///< false: hiding it behind compute is not the point
};

/// Latency of all messages of a step, as far as the run's own sizes tell it; else 0. So it is of few
/// messages: their latency is part of transfer, for no fewer would do (small_messages says nothing of them
/// either).
[[nodiscard]] std::int64_t latencyPerStep(const Context& context);

[[nodiscard]] CommunicationCause biggestCommunicationCause(const Context& context);

/// "waiting for late ranks (30.24 ms of 41.00 ms exposed a step; see late_rank and wait_dominates)"
[[nodiscard]] std::string describe(const Context& context, const CommunicationCause& cause);

} // namespace ringside::rules
