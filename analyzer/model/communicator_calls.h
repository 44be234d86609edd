// SPDX-License-Identifier: Apache-2.0
// What a rank called on its communicators, under names by which the calls of all ranks can be compared.
#pragma once
#include <ringside/trace/reader.h>

#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

namespace ringside::model {

struct Rank;

/// What all members of a communicator know it by: its hash, else (of one that was made past the wrappers)
/// NCCL's own. 0: nothing.
[[nodiscard]] std::uint64_t sharedHash(const trace::CommunicatorRow& row);

/// A communicator as all its members know it: the hash, and which use of it when a process made it again.
/// Without a hash (0) only as this process knows it: then nobody else's calls are matched with its own.
using CommunicatorKey = std::pair<std::uint64_t, std::size_t>;
/// A rank's communicators, in the order of their making.
[[nodiscard]] std::vector<std::pair<CommunicatorKey, const trace::CommunicatorRow*>>
communicatorsOf(const Rank& rank, const trace::ProcessTrace& process);

/// A call that ran, or one that a launch of its graph ran again.
struct Run {
    std::size_t call = 0; ///< of the process's collectiveCalls
    std::int64_t sequence = 0;
    std::uint64_t launch = 0; ///< of the graph, 0: the call itself ran
    std::int64_t startNs = 0; ///< of the host call: its own, or the launch's
};
/// What ran on each communicator, by its id: calls that were not captured, and each launch's share of those
/// that were.
[[nodiscard]] std::unordered_map<std::int64_t, std::vector<Run>> runsOf(const trace::ProcessTrace& process);

} // namespace ringside::model
