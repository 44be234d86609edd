// SPDX-License-Identifier: Apache-2.0
// The TCP connections of this process, from the kernel's socket monitoring (NETLINK_SOCK_DIAG). The request
// uses a socket of its own. The names in /proc/self/fd show which connections belong to this process;
// descriptors of the program are not used.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_set>
#include <vector>

namespace ringside::host {

/// Counters of one connection since it was created (tcp_info of linux/tcp.h).
struct Connection {
    std::uint64_t inode = 0;
    std::string local; ///< numeric addresses; an IPv4 address also if an IPv6 socket carries it
    std::string peer;
    std::uint64_t sentBytes = 0; ///< acknowledged by the peer
    std::uint64_t receivedBytes = 0;
    std::uint64_t busyUs = 0;            ///< time with data to send or in flight
    std::uint64_t receiverLimitedUs = 0; ///< part of it with a full buffer at the peer
    std::uint64_t senderLimitedUs = 0;   ///< part of it in which the own send buffer was too small
    std::uint64_t segments = 0;          ///< sent with data, those sent again included
    std::uint64_t retransmits = 0;       ///< segments
    /// Segments of these that the peer reported (DSACK, RFC 2883) to have had already; null before
    /// Linux 4.20.
    std::optional<std::uint64_t> needlessRetransmits;
    std::uint64_t deliveryBytesPerS = 0; ///< latest rate that the connection itself allowed; 0 if none yet
    std::uint64_t roundTripUs = 0;       ///< smoothed
};

/// Returns the inodes of the sockets among this process's descriptors.
[[nodiscard]] std::unordered_set<std::uint64_t> ownSockets();

/// Result of parsing one message of the kernel's answer.
enum class Answer : std::uint8_t { More, End, Refused };
/// Extracts the wanted connections from a part of the kernel's answer. Truncated entries are skipped.
Answer takeConnections(std::span<const char> piece, const std::unordered_set<std::uint64_t>& wanted,
                       std::vector<Connection>& taken);

/// Returns established connections. Returns null and the reason if the kernel does not report them.
[[nodiscard]] std::optional<std::vector<Connection>> ownConnections(std::string& reason);

} // namespace ringside::host
