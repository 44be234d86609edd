// SPDX-License-Identifier: Apache-2.0
// Helpers for rules about runs that hang or are wrong. They use the analysis of `ringside hang`, so that the
// rules and the command never contradict each other.
#pragma once
#include "hang/hang.h"
#include "rules/shared/support.h"
#include "trace/vocabulary/datatype.h"
#include "words/stuck.h"

namespace ringside::rules {

inline const NotApplicable kNeedsCollectives{words::stuck::needs_collectives};

/// Returns true if at least two ranks took part in the same collective, so that ranks can be compared.
[[nodiscard]] bool collectivesOfSeveralRanks(const Context& context);

/// Returns the collectives that do not finish or differ between ranks. The analysis is a pass over all calls,
/// so it runs only if an operation is mismatched or incomplete, or if a call never returned.
[[nodiscard]] inline std::vector<hang::StuckCollective> stuckCollectives(const Context& context,
                                                                         const hang::Options& options = {})
{
    const bool odd =
        std::any_of(context.run.operations.begin(), context.run.operations.end(),
                    [](const model::Operation& each) { return each.mismatched || !each.complete(); }) ||
        std::any_of(context.run.trace.processes.begin(), context.run.trace.processes.end(),
                    [](const trace::ProcessTrace& each) { return !each.inFlight.empty(); });
    return odd ? hang::stuckCollectives(context.run, options) : std::vector<hang::StuckCollective>();
}

[[nodiscard]] std::int64_t droppedRecords(const Context& context);

/// "ncclAllReduce #20 of communicator world"
[[nodiscard]] words::Text nameOf(const hang::StuckCollective& stuck);

/// "ncclBroadcast of 4096 elements (16.0 KiB)"
[[nodiscard]] words::Text callText(const hang::Signature& call);

/// Returns where a rank issued its part, and how long it is known to have waited in it.
[[nodiscard]] Evidence evidence(const hang::Arrived& part);

} // namespace ringside::rules
