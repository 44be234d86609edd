// SPDX-License-Identifier: Apache-2.0
#include "http/metrics_server.h"

#include <ringside/error.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <exception>
#include <string_view>
#ifdef RINGSIDE_HAVE_MICROHTTPD
#include <microhttpd.h>
#endif

namespace ringside::http {
namespace {

[[noreturn]] void refuseEndpoint(const std::string& text)
{
    throw Error(ErrorCode::Usage, "--listen " + text + " is no IP address and port",
                "Write 127.0.0.1:9464, [::1]:9464, or :9464 for this machine only.");
}

/// The parts before and after the last colon; brackets around an address of IPv6 are removed.
std::pair<std::string, std::string> splitEndpoint(const std::string& text)
{
    const std::size_t colon = text.rfind(':');
    if (colon == std::string::npos) {
        refuseEndpoint(text);
    }
    std::string address = text.substr(0, colon);
    if (address.size() > 2 && address.front() == '[' && address.back() == ']') {
        address = address.substr(1, address.size() - 2);
    } else if (address.find(':') != std::string::npos) {
        refuseEndpoint(text); // where the port begins cannot be told
    }
    return {address.empty() ? "127.0.0.1" : address, text.substr(colon + 1)};
}

bool isLoopbackAddress(const std::string& address)
{
    in_addr v4{};
    in6_addr v6{};
    constexpr std::uint32_t kNetwork = 127U << 24U;
    constexpr std::uint32_t kMask = 255U << 24U;
    if (inet_pton(AF_INET, address.c_str(), &v4) == 1) {
        return (ntohl(v4.s_addr) & kMask) == kNetwork;
    }
    return inet_pton(AF_INET6, address.c_str(), &v6) == 1 && IN6_IS_ADDR_LOOPBACK(&v6);
}

bool isAddress(const std::string& address)
{
    in6_addr any{};
    return inet_pton(AF_INET, address.c_str(), &any) == 1 || inet_pton(AF_INET6, address.c_str(), &any) == 1;
}

} // namespace

Endpoint parseEndpoint(const std::string& text)
{
    const auto [address, port] = splitEndpoint(text);
    Endpoint endpoint;
    endpoint.address = address;
    const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), endpoint.port);
    if (error != std::errc{} || end != port.data() + port.size() || !isAddress(address)) {
        refuseEndpoint(text);
    }
    endpoint.isLoopback = isLoopbackAddress(address);
    return endpoint;
}

#ifdef RINGSIDE_HAVE_MICROHTTPD
namespace {

// Connections that say nothing must not keep Prometheus away: there is room for many, and none stays for
// long.
constexpr unsigned kMostConnections = 512;
constexpr unsigned kIdleSeconds = 2;
constexpr std::size_t kConnectionBytes = std::size_t{32} << 10; ///< for a request; a page is not counted

MHD_Result reply(MHD_Connection* connection, unsigned status, std::string_view text, const char* type)
{
    MHD_Response* const response =
        MHD_create_response_from_buffer(text.size(), const_cast<char*>(text.data()), MHD_RESPMEM_MUST_COPY);
    if (response == nullptr) {
        return MHD_NO;
    }
    MHD_add_response_header(response, "Content-Type", type);
    const MHD_Result result = MHD_queue_response(connection, status, response);
    MHD_destroy_response(response);
    return result;
}

/// The name in a Host header, without the port.
std::string_view nameIn(std::string_view host)
{
    if (host.starts_with('[')) {
        return host.substr(1, std::min(host.find(']'), host.size()) - 1);
    }
    return host.substr(0, host.find(':'));
}

/// Whether a request was meant for this machine. A page in a browser can give its own name the address of
/// this machine (DNS rebinding), and then read the answer: the Host header still has the page's name. An
/// address cannot be given away so, nor can localhost.
bool isForThisMachine(std::string_view host)
{
    std::array<char, 256> own{};
    gethostname(own.data(), own.size() - 1);
    const std::string name(nameIn(host));
    const std::string_view machine(own.data());
    return host.empty() || isAddress(name) || strcasecmp(name.c_str(), "localhost") == 0 ||
           (strncasecmp(name.c_str(), machine.data(), machine.size()) == 0 && !machine.empty() &&
            (name.size() == machine.size() || name[machine.size()] == '.'));
}

/// Called by the library for each request; nothing may be thrown through it.
MHD_Result answer(void* page, MHD_Connection* connection, const char* url, const char* method, const char*,
                  const char*, std::size_t*, void**)
{
    constexpr const char* kText = "text/plain; charset=utf-8";
    const std::string_view word(method);
    if (word != "GET" && word != "HEAD") {
        return reply(connection, MHD_HTTP_METHOD_NOT_ALLOWED, "Only GET is answered.\n", kText);
    }
    const char* const host = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_HOST);
    if (!isForThisMachine(host != nullptr ? host : "")) {
        return reply(
            connection, MHD_HTTP_FORBIDDEN,
            "This Host is not answered: ask for the address of this machine, its name or localhost.\n",
            kText);
    }
    if (std::string_view(url) != "/metrics") {
        return reply(connection, MHD_HTTP_NOT_FOUND, "The figures of the job are at /metrics.\n", kText);
    }
    try {
        return reply(connection, MHD_HTTP_OK, (*static_cast<std::function<std::string()>*>(page))(),
                     "text/plain; version=0.0.4; charset=utf-8");
    } catch (const std::exception& error) {
        return reply(connection, MHD_HTTP_INTERNAL_SERVER_ERROR, std::string(error.what()) + "\n", kText);
    }
}

union SocketAddress {
    sockaddr any;
    sockaddr_in v4;
    sockaddr_in6 v6;
};

SocketAddress socketAddress(const Endpoint& endpoint)
{
    SocketAddress address{};
    if (inet_pton(AF_INET, endpoint.address.c_str(), &address.v4.sin_addr) == 1) {
        address.v4.sin_family = AF_INET;
        address.v4.sin_port = htons(endpoint.port);
    } else {
        inet_pton(AF_INET6, endpoint.address.c_str(), &address.v6.sin6_addr);
        address.v6.sin6_family = AF_INET6;
        address.v6.sin6_port = htons(endpoint.port);
    }
    return address;
}

} // namespace

// Without threads of its own: the page reads files, and nothing else happens in this process meanwhile.
MetricsServer::MetricsServer(const Endpoint& endpoint, std::function<std::string()> page)
    : m_page(std::move(page))
{
    const SocketAddress address = socketAddress(endpoint);
    const unsigned flags = MHD_USE_EPOLL | (address.any.sa_family == AF_INET6 ? MHD_USE_IPv6 : MHD_NO_FLAG);
    errno = 0;
    m_daemon = MHD_start_daemon(flags, endpoint.port, nullptr, nullptr, answer, &m_page, MHD_OPTION_SOCK_ADDR,
                                &address.any, MHD_OPTION_CONNECTION_LIMIT, kMostConnections,
                                MHD_OPTION_CONNECTION_TIMEOUT, kIdleSeconds,
                                MHD_OPTION_CONNECTION_MEMORY_LIMIT, kConnectionBytes, MHD_OPTION_END);
    if (m_daemon == nullptr) {
        throw Error(ErrorCode::Io,
                    "cannot listen on " + endpoint.address + " port " + std::to_string(endpoint.port) + ": " +
                        std::strerror(errno),
                    "Choose another address of this machine or another port: --listen ADDRESS:PORT");
    }
}

MetricsServer::~MetricsServer()
{
    MHD_stop_daemon(m_daemon);
}

void MetricsServer::run(std::chrono::milliseconds time)
{
    const auto end = std::chrono::steady_clock::now() + time;
    for (auto left = time; left.count() > 0; left = std::chrono::duration_cast<std::chrono::milliseconds>(
                                                 end - std::chrono::steady_clock::now())) {
        MHD_run_wait(m_daemon, static_cast<std::int32_t>(left.count()));
    }
}

std::uint16_t MetricsServer::port() const
{
    const MHD_DaemonInfo* const info = MHD_get_daemon_info(m_daemon, MHD_DAEMON_INFO_BIND_PORT);
    return info != nullptr ? info->port : 0;
}

#else

MetricsServer::MetricsServer(const Endpoint& /*endpoint*/, std::function<std::string()> /*page*/)
{
    throw Error(
        ErrorCode::Usage, "this build has no HTTP server: it was built without libmicrohttpd",
        "`ringside record --metrics DIR` writes the same figures for the text collector of Prometheus' node "
        "exporter.");
}
MetricsServer::~MetricsServer() = default;
void MetricsServer::run(std::chrono::milliseconds /*time*/) {}
std::uint16_t MetricsServer::port() const
{
    return 0;
}

#endif

} // namespace ringside::http
