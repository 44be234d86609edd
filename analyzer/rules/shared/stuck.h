// SPDX-License-Identifier: Apache-2.0
// What the rules about runs that are wrong or do not go on share. They ask the same questions as
// `ringside hang` and take its answers, so that the two never contradict each other.
#pragma once
#include "hang/hang.h"
#include "rules/shared/support.h"
#include "trace/vocabulary/datatype.h"

namespace ringside::rules {

inline const NotApplicable kNeedsCollectives{
    "needs recorded collectives of at least two ranks: preload the collector in every rank"};

/// Whether ranks can be compared: two of them called something on a communicator they share.
[[nodiscard]] bool collectivesOfSeveralRanks(const Context& context);

/// Asking in detail costs a pass over all calls: only where something looks odd.
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
[[nodiscard]] std::string nameOf(const hang::StuckCollective& stuck);

/// "ncclBroadcast of 4096 elements (16.0 KiB)"
[[nodiscard]] std::string callText(const hang::Signature& call);

/// Where a rank issued its part, as far as it is known to have waited in it.
[[nodiscard]] Evidence evidence(const hang::Arrived& part);

} // namespace ringside::rules
