// SPDX-License-Identifier: Apache-2.0
#include "socket.h"

#include "failure.h"

#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <thread>

namespace ringside::trainer {
namespace {

using Addresses = std::unique_ptr<addrinfo, decltype(&freeaddrinfo)>;

Addresses resolve(const std::string& host, std::uint16_t port)
{
    addrinfo hints{};
    hints.ai_family = AF_UNSPEC;
    hints.ai_socktype = SOCK_STREAM;
    addrinfo* found = nullptr;
    const int error = getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found);
    if (error != 0)
        throw Failure(fmt::format("MASTER_ADDR \"{}\" cannot be resolved: {}", host, gai_strerror(error)));
    return {found, freeaddrinfo};
}

/// Returns true if the descriptor became ready for `events` before the deadline.
bool waitFor(int descriptor, short events, Deadline deadline)
{
    pollfd entry{.fd = descriptor, .events = events, .revents = 0};
    for (;;) {
        const auto left =
            std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
        const int ready = poll(&entry, 1, left.count() > 0 ? static_cast<int>(left.count()) : 0);
        if (ready >= 0 || errno != EINTR)
            return ready > 0;
    }
}

Socket openFor(const addrinfo& address, int flags)
{
    Socket socket(
        ::socket(address.ai_family, address.ai_socktype | SOCK_CLOEXEC | flags, address.ai_protocol));
    const int on = 1;
    setsockopt(socket.descriptor(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    // The kernel then notices a host that vanished, even if nothing is sent.
    setsockopt(socket.descriptor(), SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
    return socket;
}

Socket tryConnect(const addrinfo& address, Deadline deadline)
{
    Socket socket = openFor(address, SOCK_NONBLOCK);
    if (connect(socket.descriptor(), address.ai_addr, address.ai_addrlen) != 0 &&
        (errno != EINPROGRESS || !waitFor(socket.descriptor(), POLLOUT, deadline)))
        return {};
    int error = 0;
    socklen_t size = sizeof error;
    getsockopt(socket.descriptor(), SOL_SOCKET, SO_ERROR, &error, &size);
    return error == 0 ? std::move(socket) : Socket();
}

} // namespace

Socket::~Socket()
{
    if (m_descriptor >= 0)
        close(m_descriptor);
}

Socket listenOn(const std::string& host, std::uint16_t port)
{
    const Addresses addresses = resolve(host, port);
    Socket socket = openFor(*addresses, 0);
    const int on = 1;
    setsockopt(socket.descriptor(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (bind(socket.descriptor(), addresses->ai_addr, addresses->ai_addrlen) != 0 ||
        listen(socket.descriptor(), SOMAXCONN) != 0) {
        const int error = errno;
        throw Failure(fmt::format(
            "cannot listen on {}:{} (MASTER_ADDR, MASTER_PORT): {}{}", host, port, std::strerror(error),
            error == EADDRINUSE ? "; choose another MASTER_PORT or end the process that uses it" : ""));
    }
    return socket;
}

Socket acceptBefore(const Socket& listener, Deadline deadline)
{
    if (!waitFor(listener.descriptor(), POLLIN, deadline))
        return {};
    return Socket(accept4(listener.descriptor(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
}

Socket connectBefore(const std::string& host, std::uint16_t port, Deadline deadline)
{
    const Addresses addresses = resolve(host, port);
    while (std::chrono::steady_clock::now() < deadline) {
        for (const addrinfo* address = addresses.get(); address != nullptr; address = address->ai_next) {
            if (Socket socket = tryConnect(*address, deadline); socket.isOpen())
                return socket;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    return {};
}

bool sendAll(const Socket& socket, std::span<const std::byte> bytes)
{
    // Messages are far smaller than a socket's buffer: a peer that does not accept one within a second is
    // gone.
    const Deadline deadline = std::chrono::steady_clock::now() + std::chrono::seconds(1);
    while (!bytes.empty()) {
        const ssize_t sent = send(socket.descriptor(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (sent > 0)
            bytes = bytes.subspan(static_cast<std::size_t>(sent));
        else if (errno != EINTR && (errno != EAGAIN || !waitFor(socket.descriptor(), POLLOUT, deadline)))
            return false;
    }
    return true;
}

Received receiveAll(const Socket& socket, std::span<std::byte> bytes, Deadline deadline)
{
    while (!bytes.empty()) {
        const ssize_t received = recv(socket.descriptor(), bytes.data(), bytes.size(), 0);
        if (received > 0)
            bytes = bytes.subspan(static_cast<std::size_t>(received));
        else if (received == 0 || (errno != EAGAIN && errno != EINTR))
            return Received::Closed;
        else if (!waitFor(socket.descriptor(), POLLIN, deadline))
            return Received::Nothing;
    }
    return Received::Everything;
}

std::uint16_t freeLocalPort()
{
    const Socket socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* generic = reinterpret_cast<sockaddr*>(&address);
    if (bind(socket.descriptor(), generic, size) != 0 ||
        getsockname(socket.descriptor(), generic, &size) != 0)
        throw Failure(fmt::format("no free port on the loopback interface: {}", std::strerror(errno)));
    return ntohs(address.sin_port);
}

} // namespace ringside::trainer
