// SPDX-License-Identifier: Apache-2.0
// Pairs each send with the receive that takes it. NCCL keeps their order between two ranks on one
// communicator. Sends and receives that together form an all-to-all are left to collective_match.
#pragma once
#include "model/communication_work.h"
#include "model/rank.h"
#include "model/time.h"

#include <ringside/trace/reader.h>

#include <optional>
#include <set>
#include <vector>

namespace ringside::model {

struct MessageEnd {
    std::size_t rank = 0;     ///< index into Model::ranks
    std::size_t call = 0;     ///< index into its process's collectiveCalls
    std::uint64_t launch = 0; ///< launch of the CUDA graph that ran it; 0 if it ran itself
    /// When the kernel ran that sends or receives, together with the other calls of its group. Null if it was
    /// not measured.
    std::optional<Interval> device = {};
    bool whole = true; ///< the other end is known for every call of this kernel
};

struct Message {
    std::uint64_t communicator = 0; ///< hash
    std::optional<std::uint64_t> bytes;
    MessageEnd sender;
    MessageEnd receiver;
};

/// Returns the ids of groups of calls that exchange with all members at once, as PyTorch makes an all-to-all
/// from sends and receives. A group is one if it sends to the rank itself or to more than two partners.
[[nodiscard]] std::set<std::int64_t> exchangesOf(const trace::ProcessTrace& process);

/// What to do with two ranks if one recorded more or fewer sends than the other recorded receives.
enum class UnequalEnds : std::uint8_t {
    LeaveOut, ///< match none of them: the ranks' clocks are not aligned yet
    ByTime,   ///< shift one sequence against the other so that most pairs overlap in time
};

/// Returns the matched messages, by communicator and pair of ranks, then in order.
[[nodiscard]] std::vector<Message> matchMessages(const trace::RunTrace& trace, const std::vector<Rank>& ranks,
                                                 const std::vector<CommunicationWork>& communication,
                                                 UnequalEnds unequal);

/// Two kernels that send to each other. Neither can end before the other has begun.
struct Swap {
    MessageEnd first;
    MessageEnd second;
};
[[nodiscard]] std::vector<Swap> findSwaps(const std::vector<Message>& messages);

} // namespace ringside::model
