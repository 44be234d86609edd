// SPDX-License-Identifier: Apache-2.0
#include "ras/client.h"

#include "host/monotonic.h"
#include "values/parse_number.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <vector>

namespace ringside::ras {
namespace {

constexpr std::string_view kDefaultAddress = "localhost:28028";

struct Address {
    sockaddr_storage storage{};
    socklen_t bytes = 0;
};

Address loopback4(std::uint16_t port)
{
    Address address;
    sockaddr_in in{};
    in.sin_family = AF_INET;
    in.sin_port = htons(port);
    in.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    std::memcpy(&address.storage, &in, sizeof in);
    address.bytes = sizeof in;
    return address;
}

Address loopback6(std::uint16_t port)
{
    Address address;
    sockaddr_in6 in{};
    in.sin6_family = AF_INET6;
    in.sin6_port = htons(port);
    in.sin6_addr = in6addr_loopback;
    std::memcpy(&address.storage, &in, sizeof in);
    address.bytes = sizeof in;
    return address;
}

/// Returns where a service with this address, HOST:PORT or [HOST]:PORT, is reached over the loopback. Empty:
/// it is not.
std::vector<Address> addressesOf(std::string_view text)
{
    const std::size_t colon = text.rfind(':');
    const auto port = colon != std::string_view::npos
                          ? values::parseNumber<std::uint16_t>(text.substr(colon + 1))
                          : std::nullopt;
    if (!port) {
        return {};
    }
    std::string host(text.substr(0, colon));
    if (host.starts_with('[') && host.ends_with(']')) {
        host = host.substr(1, host.size() - 2);
    }
    if (host == "localhost") {
        return {loopback4(*port), loopback6(*port)};
    }
    in_addr four{};
    if (inet_pton(AF_INET, host.c_str(), &four) == 1) {
        constexpr std::uint32_t kLoopbackNet = 127;
        const bool local = four.s_addr == htonl(INADDR_ANY) || ntohl(four.s_addr) >> 24U == kLoopbackNet;
        return local ? std::vector{loopback4(*port)} : std::vector<Address>{};
    }
    in6_addr six{};
    const bool isSix = inet_pton(AF_INET6, host.c_str(), &six) == 1;
    return isSix && (IN6_IS_ADDR_LOOPBACK(&six) || IN6_IS_ADDR_UNSPECIFIED(&six))
               ? std::vector{loopback6(*port)}
               : std::vector<Address>{};
}

/// One connection with a time limit for all that is done on it.
class Connection final {
public:
    Connection(int stop, std::int64_t limitMs) : m_stop(stop), m_endNs(host::monotonicNs() + limitMs * kNsAMs)
    {}
    ~Connection() { closeSocket(); }
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;

    bool open(const Address& address)
    {
        closeSocket();
        m_socket = socket(address.storage.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
        if (m_socket < 0) {
            return false;
        }
        const int result =
            connect(m_socket, reinterpret_cast<const sockaddr*>(&address.storage), address.bytes);
        if (result == 0) {
            return true;
        }
        int error = 0;
        socklen_t bytes = sizeof error;
        return errno == EINPROGRESS && wait(POLLOUT) &&
               getsockopt(m_socket, SOL_SOCKET, SO_ERROR, &error, &bytes) == 0 && error == 0;
    }

    bool say(std::string_view command)
    {
        while (!command.empty()) {
            const ssize_t sent = send(m_socket, command.data(), command.size(), MSG_NOSIGNAL);
            if (sent > 0) {
                command.remove_prefix(static_cast<std::size_t>(sent));
            } else if (errno != EINTR && (errno != EAGAIN || !wait(POLLOUT))) {
                return false;
            }
        }
        return true;
    }

    /// A line with its end; a shorter one if the connection ends.
    std::string readLine()
    {
        constexpr std::size_t kLongestLine = 1024;
        while (m_read.find('\n') == std::string::npos && m_read.size() < kLongestLine && readMore()) {
        }
        const std::size_t end = std::min(m_read.find('\n'), m_read.size() - 1) + 1;
        std::string line = m_read.substr(0, end);
        m_read.erase(0, end);
        return line;
    }

    /// All until the other side closes the connection. Null: longer than the limit, or not in time.
    std::optional<std::string> readAll()
    {
        while (m_read.size() <= kMostRasAnswerBytes && readMore()) {
        }
        return m_closed && m_read.size() <= kMostRasAnswerBytes ? std::optional(m_read) : std::nullopt;
    }

private:
    static constexpr std::int64_t kNsAMs = 1'000'000;

    bool wait(short events)
    {
        const std::int64_t leftMs = (m_endNs - host::monotonicNs()) / kNsAMs;
        std::array<pollfd, 2> polled{{{m_socket, events, 0}, {m_stop, POLLIN, 0}}};
        const int ready = leftMs > 0 ? poll(polled.data(), polled.size(), static_cast<int>(leftMs)) : 0;
        return (ready > 0 && polled[1].revents == 0) || (ready < 0 && errno == EINTR);
    }

    bool readMore()
    {
        std::array<char, 65'536> buffer{};
        const ssize_t got = recv(m_socket, buffer.data(), buffer.size(), 0);
        if (got > 0) {
            m_read.append(buffer.data(), static_cast<std::size_t>(got));
            return true;
        }
        m_closed = m_closed || got == 0;
        return got < 0 && (errno == EINTR || (errno == EAGAIN && wait(POLLIN)));
    }

    void closeSocket()
    {
        if (m_socket >= 0) {
            close(m_socket);
            m_socket = -1;
        }
    }

    int m_stop;
    std::int64_t m_endNs;
    int m_socket = -1;
    std::string m_read;
    bool m_closed = false;
};

RasReply converse(Connection& connection, std::string_view where)
{
    if (!connection.say("CLIENT PROTOCOL 2\n") || !connection.readLine().starts_with("SERVER PROTOCOL ")) {
        return {"", fmt::format("what listens at {} is not NCCL's RAS, or does not answer", where)};
    }
    // Older versions do not know the command, and answer with an error and, later, with text.
    if (!connection.say("SET FORMAT json\n") || connection.readLine().empty() ||
        !connection.say("VERBOSE STATUS\n")) {
        return {"", "it closed the connection"};
    }
    auto answer = connection.readAll();
    if (!answer || answer->empty()) {
        return {"", fmt::format("it gave no complete answer in time, or more than {} MiB",
                                kMostRasAnswerBytes >> 20U)};
    }
    return {std::move(*answer), ""};
}

} // namespace

RasReply askRas(const std::optional<std::string>& address, int stop, std::int64_t limitMs)
{
    const std::string where = address.value_or(std::string(kDefaultAddress));
    const std::vector<Address> addresses = addressesOf(where);
    if (addresses.empty()) {
        return {"", fmt::format("NCCL_RAS_ADDR is {}, which is not reached over the loopback", where)};
    }
    Connection connection(stop, limitMs);
    for (const Address& each : addresses) {
        if (connection.open(each)) {
            return converse(connection, where);
        }
    }
    return {"", fmt::format("nothing listens at {}: NCCL before 2.24 has no RAS", where)};
}

} // namespace ringside::ras
