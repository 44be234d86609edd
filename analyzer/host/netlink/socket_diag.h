// SPDX-License-Identifier: Apache-2.0
// The TCP connections of this process, as the kernel's socket monitoring tells of them (NETLINK_SOCK_DIAG).
// It is asked over a socket of our own, and which connections are this process's is read from the names in
// /proc/self/fd: no descriptor of the program is used for anything.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_set>
#include <vector>

namespace ringside::host {

/// What the kernel has counted on one connection since it was made (tcp_info of linux/tcp.h).
struct Connection {
    std::uint64_t inode = 0;
    std::string local; ///< numeric addresses, an IPv4 one also where an IPv6 socket carries it
    std::string peer;
    std::uint64_t sentBytes = 0; ///< that the peer has acknowledged
    std::uint64_t receivedBytes = 0;
    std::uint64_t busyUs = 0;            ///< with data to send, or on the way
    std::uint64_t receiverLimitedUs = 0; ///< of it: the peer's buffer was full
    std::uint64_t senderLimitedUs = 0;   ///< of it: our own buffer was too small
    std::uint64_t retransmits = 0;       ///< segments
    std::uint64_t deliveryBytesPerS = 0; ///< the last rate that the connection itself allowed; 0: none yet
    std::uint64_t roundTripUs = 0;       ///< smoothed
};

/// Inodes of the sockets among this process's descriptors.
[[nodiscard]] std::unordered_set<std::uint64_t> ownSockets();

/// What one message of the kernel's answer was followed by.
enum class Answer : std::uint8_t { More, End, Refused };
/// Takes the wanted connections out of a piece of the kernel's answer. What is cut or too short is left out.
Answer takeConnections(std::span<const char> piece, const std::unordered_set<std::uint64_t>& wanted,
                       std::vector<Connection>& taken);

/// Established ones. Null, and the reason: the kernel does not tell.
[[nodiscard]] std::optional<std::vector<Connection>> ownConnections(std::string& reason);

} // namespace ringside::host
