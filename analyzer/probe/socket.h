// SPDX-License-Identifier: Apache-2.0
// TCP for the probe: every wait has a time limit, and every line a maximum length. Nothing listens unless a
// user starts a probe.
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

inline constexpr Patience kPatience{20};     ///< for a single wait between leader and agents
inline constexpr Patience kProbePatience{4}; ///< for the connection between two hosts

/// A numeric address, IPv4 or IPv6, and a port.
struct Endpoint {
    std::string address;
    std::uint16_t port = 0;
};

/// Listens at an address (empty: all) on a port that the kernel chooses. Throws ringside::Error (Io).
[[nodiscard]] Descriptor listenAt(const std::string& address);
[[nodiscard]] std::uint16_t portOf(const Descriptor& listener);
/// Both return nothing on refusal or timeout. The connection limits each read or write to kPatience.
[[nodiscard]] Descriptor acceptAt(const Descriptor& listener, Patience patience);
[[nodiscard]] Descriptor connectTo(const Endpoint& endpoint, Patience patience);

/// Lines of text over a connection, of at most 64 KiB.
class LineConnection {
public:
    explicit LineConnection(Descriptor connection, Patience patience = kPatience)
        : m_connection(std::move(connection)), m_patience(patience)
    {}
    [[nodiscard]] bool sendLine(const std::string& line) const;
    /// Returns nothing if the other side has left, sent a longer line, sent nothing for kPatience, or did not
    /// complete a line within that time.
    [[nodiscard]] std::optional<std::string> receiveLine();

private:
    Descriptor m_connection;
    Patience m_patience;
    std::string m_heard;
};

/// Returns false if not all of `data` could be sent.
[[nodiscard]] bool sendAll(int connection, const char* data, std::size_t bytes);
[[nodiscard]] bool receiveAll(int connection, char* data, std::size_t bytes);

} // namespace ringside::probe
