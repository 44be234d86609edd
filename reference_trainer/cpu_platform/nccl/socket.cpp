// SPDX-License-Identifier: Apache-2.0
#include "socket.h"

#include "errors.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace ringside::nccl {
namespace {

[[noreturn]] void failed(const std::string& what)
{
    const int error = errno;
    const bool late = error == EAGAIN || error == EWOULDBLOCK || error == EINPROGRESS;
    throw Failure(ncclSystemError, what + ": " + (late ? "timed out" : std::strerror(error)));
}

const sockaddr* raw(const Address& address)
{
    return reinterpret_cast<const sockaddr*>(&address.storage);
}

Socket open(const Address& address)
{
    const int descriptor = ::socket(address.storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (descriptor < 0)
        failed("cannot open a rendezvous socket");
    const int one = 1;
    ::setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    return Socket(descriptor);
}

} // namespace

std::string Address::host() const
{
    char text[INET6_ADDRSTRLEN] = "?";
    const void* bytes =
        storage.ss_family == AF_INET6
            ? static_cast<const void*>(&reinterpret_cast<const sockaddr_in6*>(&storage)->sin6_addr)
            : static_cast<const void*>(&reinterpret_cast<const sockaddr_in*>(&storage)->sin_addr);
    ::inet_ntop(storage.ss_family, bytes, text, sizeof text);
    return text;
}

std::uint16_t Address::port() const
{
    // sin_port and sin6_port have the same offset.
    return ntohs(reinterpret_cast<const sockaddr_in*>(&storage)->sin_port);
}

void Address::setPort(std::uint16_t port)
{
    reinterpret_cast<sockaddr_in*>(&storage)->sin_port = htons(port);
}

Socket& Socket::operator=(Socket&& other) noexcept
{
    std::swap(m_descriptor, other.m_descriptor);
    return *this;
}

Socket::~Socket()
{
    if (m_descriptor >= 0)
        ::close(m_descriptor);
}

Socket Socket::listenOn(Address address)
{
    Socket result = open(address);
    address.setPort(0);
    if (::bind(result.m_descriptor, raw(address), address.length) != 0 ||
        ::listen(result.m_descriptor, SOMAXCONN) != 0)
        failed("cannot listen on " + address.host());
    return result;
}

Socket Socket::connectTo(const Address& address, std::chrono::milliseconds timeout)
{
    Socket result = open(address);
    result.setTimeout(timeout);
    if (::connect(result.m_descriptor, raw(address), address.length) != 0)
        failed("cannot reach the process that made the unique id, at " + address.text());
    return result;
}

Socket Socket::accept() const
{
    int descriptor = -1;
    do
        descriptor = ::accept4(m_descriptor, nullptr, nullptr, SOCK_CLOEXEC);
    while (descriptor < 0 && (errno == EINTR || errno == ECONNABORTED));
    return Socket(descriptor);
}

Address Socket::localAddress() const
{
    Address address;
    address.length = sizeof address.storage;
    if (::getsockname(m_descriptor, reinterpret_cast<sockaddr*>(&address.storage), &address.length) != 0)
        failed("cannot read a rendezvous socket's address");
    return address;
}

void Socket::setTimeout(std::chrono::milliseconds timeout) const
{
    const auto count = timeout.count();
    const timeval value{.tv_sec = count / 1000, .tv_usec = count % 1000 * 1000};
    ::setsockopt(m_descriptor, SOL_SOCKET, SO_RCVTIMEO, &value, sizeof value);
    ::setsockopt(m_descriptor, SOL_SOCKET, SO_SNDTIMEO, &value, sizeof value);
}

void Socket::send(const void* data, std::size_t size) const
{
    const char* bytes = static_cast<const char*>(data);
    while (size > 0) {
        const ssize_t sent = ::send(m_descriptor, bytes, size, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent < 0)
            failed("the connection to the process that made the unique id broke while sending");
        bytes += sent;
        size -= static_cast<std::size_t>(sent);
    }
}

void Socket::receive(void* data, std::size_t size) const
{
    char* bytes = static_cast<char*>(data);
    while (size > 0) {
        const ssize_t received = ::recv(m_descriptor, bytes, size, 0);
        if (received < 0 && errno == EINTR)
            continue;
        if (received < 0)
            failed("the connection to the process that made the unique id broke while receiving");
        if (received == 0)
            throw Failure(ncclSystemError, "the rendezvous connection closed: check whether the process that "
                                           "made the unique id has ended");
        bytes += received;
        size -= static_cast<std::size_t>(received);
    }
}

void Socket::sendMessage(const std::string& message) const
{
    const auto size = static_cast<std::uint32_t>(message.size());
    send(&size, sizeof size);
    send(message.data(), message.size());
}

std::string Socket::receiveMessage() const
{
    std::uint32_t size = 0;
    receive(&size, sizeof size);
    if (size > kMaximumMessage)
        throw Failure(ncclSystemError,
                      "rendezvous message too long: the other side does not use this protocol");
    std::string message(size, '\0');
    receive(message.data(), size);
    return message;
}

} // namespace ringside::nccl
