// SPDX-License-Identifier: Apache-2.0
// Lists what each rank called on its communicators, under keys that are the same on all ranks.
#pragma once
#include "model/rank.h"

#include <ringside/trace/reader.h>

#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

namespace ringside::model {

/// Returns a hash that is the same for all members of a communicator: the recorded hash or, for a
/// communicator that was not created through the wrappers, the hash that NCCL itself uses. Returns 0 if
/// neither is known.
[[nodiscard]] std::uint64_t sharedHash(const trace::CommunicatorRow& row);

/// A communicator's shared hash, and how many communicators with the same hash the rank made before it. If
/// the hash is not known (0), the second number is unique to the process, so that calls of other ranks are
/// not matched with it.
using CommunicatorKey = std::pair<std::uint64_t, std::size_t>;
/// Returns a rank's communicators in the order of their creation. The rows belong to `process`.
[[nodiscard]] std::vector<std::pair<CommunicatorKey, const trace::CommunicatorRow*>>
communicatorsOf(const Rank& rank, const trace::ProcessTrace& process);

/// One execution of a call: by the call itself, or by a launch of the CUDA graph that captured it.
struct Run {
    std::size_t call = 0; ///< index into the process's collectiveCalls
    std::int64_t sequence = 0;
    std::uint64_t launch = 0; ///< launch of the graph; 0 if the call itself ran
    std::int64_t startNs = 0; ///< begin of the host call: of the call itself, or of the graph's launch
};
/// Returns what ran on each communicator, by communicator id: calls that were not captured, and for each
/// graph launch the captured calls that it ran. A launch is left out if some calls of its capture were not
/// recorded.
[[nodiscard]] std::unordered_map<std::int64_t, std::vector<Run>> runsOf(const trace::ProcessTrace& process);

} // namespace ringside::model
