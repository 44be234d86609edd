// SPDX-License-Identifier: Apache-2.0
// A blocking TCP socket with a deadline, used only for the rendezvous; collectives use Gloo. Errors,
// including an end of stream in the middle of a message, are Failure(ncclSystemError).
#pragma once
#include <sys/socket.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

namespace ringside::nccl {

/// A socket address of either family.
struct Address {
    sockaddr_storage storage{};
    socklen_t length = 0;

    [[nodiscard]] std::string host() const; ///< numeric
    [[nodiscard]] std::uint16_t port() const;
    void setPort(std::uint16_t port);
    [[nodiscard]] std::string text() const { return host() + " port " + std::to_string(port()); }
};

class Socket final {
public:
    Socket() = default;
    explicit Socket(int descriptor) : m_descriptor(descriptor) {}
    Socket(Socket&& other) noexcept : m_descriptor(std::exchange(other.m_descriptor, -1)) {}
    Socket& operator=(Socket&& other) noexcept;
    Socket(const Socket&) = delete;
    Socket& operator=(const Socket&) = delete;
    ~Socket();

    /// Listens on a free port of `address`.
    [[nodiscard]] static Socket listenOn(Address address);
    [[nodiscard]] static Socket connectTo(const Address& address, std::chrono::milliseconds timeout);

    /// Waits for a connection; returns an invalid socket if the listener is no longer usable.
    [[nodiscard]] Socket accept() const;
    [[nodiscard]] bool valid() const { return m_descriptor >= 0; }
    [[nodiscard]] Address localAddress() const;
    /// Each later send and receive fails after `timeout`; zero waits forever.
    void setTimeout(std::chrono::milliseconds timeout) const;

    void send(const void* data, std::size_t size) const;
    void receive(void* data, std::size_t size) const;
    /// Sends a length and the bytes; at most kMaximumMessage of them.
    void sendMessage(const std::string& message) const;
    [[nodiscard]] std::string receiveMessage() const;

    static constexpr std::uint32_t kMaximumMessage = 16U << 20U;

private:
    int m_descriptor = -1;
};

} // namespace ringside::nccl
