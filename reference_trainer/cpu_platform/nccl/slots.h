// SPDX-License-Identifier: Apache-2.0
// Message slots of a communicator: every rank numbers its operations alike, so that equal numbers pair the
// messages.
#pragma once
#include <cstdint>

namespace ringside::nccl {

/// Returns the slot of the n-th collective of the communicator.
constexpr std::uint64_t collectiveSlot(std::uint64_t n)
{
    return n << 2U;
}
/// Returns the slot of the n-th send from one rank to another, from the sender to the receiver.
constexpr std::uint64_t forwardSlot(std::uint64_t n)
{
    return n << 2U | 1U;
}
/// Returns the slot of the reverse direction.
constexpr std::uint64_t backwardSlot(std::uint64_t forward)
{
    return (forward & ~std::uint64_t(3)) | 2U;
}
/// Returns the slot of a collective's second pass, whose receives are posted before the first pass has ended.
constexpr std::uint64_t gatherSlot(std::uint64_t collective)
{
    return collective | 3U;
}
/// The first message of a communicator.
constexpr std::uint64_t kHelloSlot = 1;
/// The last message of a communicator; collectives count from 1.
constexpr std::uint64_t kGoodbyeSlot = 3;
/// Nothing is ever sent in this slot: waiting for it means waiting for the end of a connection.
constexpr std::uint64_t kAlarmSlot = 2;

} // namespace ringside::nccl
