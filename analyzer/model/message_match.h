// SPDX-License-Identifier: Apache-2.0
// Brings sends and the receives that take them together: on one communicator, between two ranks, NCCL keeps
// their order. Sends and receives that together are an all-to-all are left to collective_match.
#pragma once
#include "model/communication_work.h"
#include "model/time.h"

#include <ringside/trace/reader.h>

#include <optional>
#include <set>
#include <vector>

namespace ringside::model {

struct Rank;

struct MessageEnd {
    std::size_t rank = 0; ///< of Model::ranks
    std::size_t call = 0; ///< of its process's collectiveCalls
    std::uint64_t launch = 0;
    /// Of the kernel that sends or receives, with the others of its group; null: not measured.
    std::optional<Interval> device = {};
    bool whole = true; ///< every call of this kernel found its other end
};

struct Message {
    std::uint64_t communicator = 0; ///< hash
    std::optional<std::uint64_t> bytes;
    MessageEnd sender;
    MessageEnd receiver;
};

/// Groups of calls that exchange with all members at once, as PyTorch makes an all-to-all of sends and
/// receives: one of them is with the rank itself, or there are more partners than neighbours.
[[nodiscard]] std::set<std::int64_t> exchangesOf(const trace::ProcessTrace& process);

/// Of two ranks of which one recorded more sends than the other receives, or fewer.
enum class UnequalEnds : std::uint8_t {
    LeaveOut, ///< for ranks whose clocks are not aligned yet
    ByTime,   ///< laid onto each other where most overlap
};

/// By communicator, then in order.
[[nodiscard]] std::vector<Message> matchMessages(const trace::RunTrace& trace, const std::vector<Rank>& ranks,
                                                 const std::vector<CommunicationWork>& communication,
                                                 UnequalEnds unequal);

/// Two kernels that send to each other: neither can end before the other one began.
struct Swap {
    MessageEnd first;
    MessageEnd second;
};
[[nodiscard]] std::vector<Swap> findSwaps(const std::vector<Message>& messages);

} // namespace ringside::model
