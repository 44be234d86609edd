// SPDX-License-Identifier: Apache-2.0
// TCP with deadlines, as far as the control channel needs it. No call blocks past its deadline.
#pragma once
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

namespace ringside::trainer {

using Deadline = std::chrono::steady_clock::time_point;

/// Owns a descriptor; negative means none.
class Socket final {
public:
    Socket() = default;
    explicit Socket(int descriptor) : m_descriptor(descriptor) {}
    Socket(Socket&& other) noexcept : m_descriptor(std::exchange(other.m_descriptor, -1)) {}
    Socket& operator=(Socket&& other) noexcept
    {
        std::swap(m_descriptor, other.m_descriptor);
        return *this;
    }
    Socket(const Socket&) = delete;
    Socket& operator=(const Socket&) = delete;
    ~Socket();

    [[nodiscard]] int descriptor() const { return m_descriptor; }
    [[nodiscard]] bool isOpen() const { return m_descriptor >= 0; }

private:
    int m_descriptor = -1;
};

enum class Received { Everything, Nothing, Closed };

/// Listens on host:port. Throws Failure, also when the port is in use.
[[nodiscard]] Socket listenOn(const std::string& host, std::uint16_t port);
/// A connection, or none when nobody came before the deadline.
[[nodiscard]] Socket acceptBefore(const Socket& listener, Deadline deadline);
/// Tries again until the deadline, since the other side may start later; none when it is over. Throws Failure
/// for names that cannot be resolved.
[[nodiscard]] Socket connectBefore(const std::string& host, std::uint16_t port, Deadline deadline);
/// False when the other side is gone.
bool sendAll(const Socket& socket, std::span<const std::byte> bytes);
/// Nothing: the deadline passed with less than everything there.
[[nodiscard]] Received receiveAll(const Socket& socket, std::span<std::byte> bytes, Deadline deadline);
/// A port that nobody listens on at the moment, on the loopback interface.
[[nodiscard]] std::uint16_t freeLocalPort();

} // namespace ringside::trainer
