// SPDX-License-Identifier: Apache-2.0
// TCP with deadlines for the control channel. No call blocks past its deadline.
#pragma once
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

namespace ringside::trainer {

using Deadline = std::chrono::steady_clock::time_point;

/// Owns a descriptor; negative: none.
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

/// Listens on host:port. Throws Failure, also if the port is in use.
[[nodiscard]] Socket listenOn(const std::string& host, std::uint16_t port);
/// Returns a connection, or an empty socket if no peer connected before the deadline.
[[nodiscard]] Socket acceptBefore(const Socket& listener, Deadline deadline);
/// Retries until the deadline, because the other side may start later; then returns an empty socket. Throws
/// Failure if the name cannot be resolved.
[[nodiscard]] Socket connectBefore(const std::string& host, std::uint16_t port, Deadline deadline);
/// Returns false if the other side is gone.
bool sendAll(const Socket& socket, std::span<const std::byte> bytes);
/// Returns Nothing if the deadline passed before all bytes arrived.
[[nodiscard]] Received receiveAll(const Socket& socket, std::span<std::byte> bytes, Deadline deadline);
/// Returns a port that is free at the moment, on the loopback interface.
[[nodiscard]] std::uint16_t freeLocalPort();

} // namespace ringside::trainer
