// SPDX-License-Identifier: Apache-2.0
// Divides exposed communication into the causes that are measured and an unmeasured rest, and names the
// biggest cause. All rules about communication use it, so that their advice agrees. If the arrival of a
// collective's other ranks is not known, as in the trace of one rank of many, waiting for them cannot be told
// from transfer.
#pragma once
#include "metrics/pipeline.h"
#include "rules/shared/support.h"

#include <array>

namespace ringside::rules {

struct CommunicationCause {
    std::int64_t nsPerStep = 0;   ///< of the exposed communication
    words::Text what;             ///< "waiting for late ranks"
    words::Text where;            ///< where the report has the details
    words::Text remedy;           ///< one sentence
    bool overlapWouldHelp = true; ///< false if hiding it behind compute is not the remedy
};

/// Returns the latency of all messages of a step in ns, fitted on the run's own message sizes. Returns 0 if
/// there is no fit, or if a step has fewer than four messages: fewer messages are then no remedy, so their
/// latency counts as transfer.
[[nodiscard]] std::int64_t latencyPerStep(const Context& context);

/// Returns the exposed communication of a step, ns, without what filling and draining a pipeline takes. That
/// part is due to the schedule, and shows as waiting for messages.
[[nodiscard]] std::int64_t exposedBeyondFill(const Context& context);

[[nodiscard]] CommunicationCause biggestCommunicationCause(const Context& context);

/// "waiting for late ranks (30.24 ms of 41.00 ms exposed per step; see late_rank and wait_dominates)"
[[nodiscard]] words::Text describe(const Context& context, const CommunicationCause& cause);

} // namespace ringside::rules
