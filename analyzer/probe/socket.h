// SPDX-License-Identifier: Apache-2.0
// TCP for the probe: every wait has an end, every line a length. Nothing here listens unless a user asked for
// a probe.
#pragma once
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace ringside::probe {

/// A file descriptor that is closed once.
class Descriptor {
public:
    Descriptor() = default;
    explicit Descriptor(int number) : m_number(number) {}
    Descriptor(Descriptor&& other) noexcept : m_number(std::exchange(other.m_number, -1)) {}
    Descriptor& operator=(Descriptor&& other) noexcept;
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    ~Descriptor();
    [[nodiscard]] int number() const { return m_number; }
    explicit operator bool() const { return m_number >= 0; }

private:
    int m_number = -1;
};

using Patience = std::chrono::seconds;

inline constexpr Patience kPatience{20};     ///< for any single wait between leader and agents
inline constexpr Patience kProbePatience{4}; ///< for two hosts to find each other

/// A numeric address, IPv4 or IPv6, and a port.
struct Endpoint {
    std::string address;
    std::uint16_t port = 0;
};

/// Listens at an address (empty: all) on a port that the kernel chooses. Throws ringside::Error (Io).
[[nodiscard]] Descriptor listenAt(const std::string& address);
[[nodiscard]] std::uint16_t portOf(const Descriptor& listener);
/// Each gives nothing when it took longer or was refused. What they give waits kPatience for any single read
/// or write.
[[nodiscard]] Descriptor acceptAt(const Descriptor& listener, Patience patience);
[[nodiscard]] Descriptor connectTo(const Endpoint& endpoint, Patience patience);

/// Lines of text over a connection, of at most 64 KiB.
class Conversation {
public:
    explicit Conversation(Descriptor connection, Patience patience = kPatience)
        : m_connection(std::move(connection)), m_patience(patience)
    {}
    [[nodiscard]] bool say(const std::string& line) const;
    /// Nothing: the other side is gone, said too much, nothing for kPatience, or had not ended a line that
    /// long after it began it.
    [[nodiscard]] std::optional<std::string> hear();

private:
    Descriptor m_connection;
    Patience m_patience;
    std::string m_heard;
};

/// All of `bytes`, or false.
[[nodiscard]] bool sendAll(int connection, const char* data, std::size_t bytes);
[[nodiscard]] bool receiveAll(int connection, char* data, std::size_t bytes);

} // namespace ringside::probe
