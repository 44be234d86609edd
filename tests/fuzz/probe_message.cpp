// SPDX-License-Identifier: Apache-2.0
// Fuzz target: arbitrary bytes instead of the messages between leader and agents of a probe give numbers
// within their bounds, or nothing.
#include "probe/rdma_message.h"
#include "probe/tcp_message.h"

#include <sys/socket.h>

#include <array>
#include <cstdint>
#include <cstdlib>

namespace {

using namespace ringside::probe;

void require(bool good)
{
    if (!good) {
        std::abort();
    }
}

void receiveLine(const Message& message)
{
    static_cast<void>(wordOf(message, "reason"));
    require(numberOf(message, "bytes", std::uint64_t{1} << 30U) <= std::uint64_t{1} << 30U);
    require(numberOf(message, "milliseconds", std::int64_t{10'000}) >= 0);
    const RdmaAddress address = addressOf(message);
    require(address.mtu >= 0 && address.mtu <= verbs::kLargestMtu && address.memory <= 1ULL << 53U);
    const RdmaAddress again = addressOf(toMessage(address));
    require(again.pair == address.pair && again.gid == address.gid && again.memory == address.memory &&
            again.key == address.key && again.lid == address.lid && again.sequence == address.sequence);
    const RdmaResult result = rdmaResultOf(message);
    require(!result.measured || (result.measured->gbps >= 0 && result.measured->gbps <= 1e12));
    static_cast<void>(rdmaResultOf(toMessage(result)));
    const RdmaEnd end = rdmaEndOf(message);
    require(end.rails.size() <= kMostRails);
    require(pairRails(end, end).size() == end.rails.size());
    const auto measured = measurementOf(message);
    require(!measured || (measured->gbps >= 0 && measured->gbps <= 1e12 && measured->receiverShare <= 1));
    require(!measured || measurementOf(Message{{"measured", toMessage(*measured)}}).has_value());
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    std::array<int, 2> ends{};
    require(socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()) == 0);
    LineConnection connection{Descriptor(ends[0])};
    {
        const Descriptor stranger(ends[1]);
        static_cast<void>(send(stranger.number(), data, size, MSG_DONTWAIT | MSG_NOSIGNAL));
    }
    while (const auto message = receiveMessage(connection)) {
        receiveLine(*message);
    }
    return 0;
}
