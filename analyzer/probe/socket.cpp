// SPDX-License-Identifier: Apache-2.0
#include "probe/socket.h"

#include <ringside/error.h>

#include <fmt/format.h>
#include <linux/tcp.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>

namespace ringside::probe {
namespace {

using Addresses = std::unique_ptr<addrinfo, decltype(&freeaddrinfo)>;

Addresses resolve(const std::string& address, std::uint16_t port, int flags)
{
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    hints.ai_flags = flags | AI_NUMERICSERV;
    addrinfo* found = nullptr;
    const int error = getaddrinfo(address.empty() ? nullptr : address.c_str(), std::to_string(port).c_str(),
                                  &hints, &found);
    return {error == 0 ? found : nullptr, &freeaddrinfo};
}

bool ready(int descriptor, short events, Patience most)
{
    pollfd waiting{descriptor, events, 0};
    const auto patience = std::chrono::duration_cast<std::chrono::milliseconds>(most);
    int result = 0;
    do {
        result = poll(&waiting, 1, static_cast<int>(patience.count()));
    } while (result < 0 && errno == EINTR);
    return result > 0;
}

/// Sends without delay, and limits every read and write in time.
void prepare(int connection, Patience most)
{
    const int on = 1;
    const timeval patience{most.count(), 0};
    setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    setsockopt(connection, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
}

} // namespace

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept
{
    std::swap(m_number, other.m_number);
    return *this;
}

Descriptor::~Descriptor()
{
    if (m_number >= 0) {
        ::close(m_number);
    }
}

Descriptor listenAt(const std::string& address)
{
    constexpr int kBacklog = 128;
    const Addresses found = resolve(address, 0, AI_PASSIVE);
    for (const addrinfo* each = found.get(); each != nullptr; each = each->ai_next) {
        Descriptor listener(socket(each->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
        if (listener && bind(listener.number(), each->ai_addr, each->ai_addrlen) == 0 &&
            listen(listener.number(), kBacklog) == 0) {
            return listener;
        }
    }
    throw Error(ErrorCode::Io,
                fmt::format("cannot listen at {}: {}", address.empty() ? "any address" : address,
                            std::strerror(errno)),
                "The address must be one of this host's.");
}

std::uint16_t portOf(const Descriptor& listener)
{
    sockaddr_storage name{};
    socklen_t bytes = sizeof name;
    getsockname(listener.number(), reinterpret_cast<sockaddr*>(&name), &bytes);
    return ntohs(name.ss_family == AF_INET6 ? reinterpret_cast<const sockaddr_in6&>(name).sin6_port
                                            : reinterpret_cast<const sockaddr_in&>(name).sin_port);
}

Descriptor acceptAt(const Descriptor& listener, Patience patience)
{
    if (!ready(listener.number(), POLLIN, patience)) {
        return {};
    }
    Descriptor connection(accept4(listener.number(), nullptr, nullptr, SOCK_CLOEXEC));
    prepare(connection.number(), kPatience);
    return connection;
}

Descriptor connectTo(const Endpoint& endpoint, Patience patience)
{
    const Addresses found = resolve(endpoint.address, endpoint.port, 0);
    for (const addrinfo* each = found.get(); each != nullptr; each = each->ai_next) {
        Descriptor connection(socket(each->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
        prepare(connection.number(), patience); // SO_SNDTIMEO bounds connect, too
        if (connection && connect(connection.number(), each->ai_addr, each->ai_addrlen) == 0) {
            prepare(connection.number(), kPatience);
            return connection;
        }
    }
    return {};
}

bool sendAll(int connection, const char* data, std::size_t bytes)
{
    while (bytes > 0) {
        const ssize_t sent = send(connection, data, bytes, MSG_NOSIGNAL);
        if (sent <= 0) {
            return false;
        }
        data += sent;
        bytes -= static_cast<std::size_t>(sent);
    }
    return true;
}

bool receiveAll(int connection, char* data, std::size_t bytes)
{
    while (bytes > 0) {
        const ssize_t received = recv(connection, data, bytes, 0);
        if (received <= 0) {
            return false;
        }
        data += received;
        bytes -= static_cast<std::size_t>(received);
    }
    return true;
}

bool LineConnection::sendLine(const std::string& line) const
{
    const std::string text = line + "\n";
    return sendAll(m_connection.number(), text.data(), text.size());
}

std::optional<std::string> LineConnection::receiveLine()
{
    constexpr std::size_t kMost = 64U << 10U;
    char block[4096];
    std::optional<std::chrono::steady_clock::time_point> until;
    while (m_heard.find('\n') == std::string::npos && m_heard.size() < kMost) {
        const ssize_t bytes = recv(m_connection.number(), block, sizeof block, 0);
        const auto now = std::chrono::steady_clock::now();
        if (bytes <= 0 || (until && now > *until)) {
            return std::nullopt;
        }
        until = until.value_or(now + m_patience);
        m_heard.append(block, static_cast<std::size_t>(bytes));
    }
    const std::size_t end = m_heard.find('\n');
    if (end == std::string::npos) {
        return std::nullopt;
    }
    std::string line = m_heard.substr(0, end);
    m_heard.erase(0, end + 1);
    return line;
}

} // namespace ringside::probe
