// SPDX-License-Identifier: Apache-2.0
// The rendezvous address of a job started from here (MASTER_ADDR, MASTER_PORT): whether the name can be
// resolved, and how the port answers one attempt to connect. Nothing listens there before a run; a firewall
// shows as silence.
#include "doctor/gatherer.h"

#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <memory>

namespace ringside::doctor::gatherer_rendezvous {
namespace {

/// Returns "open", "refused", or "silent" after some seconds; empty: this host could not try.
std::string answerOf(const addrinfo& address)
{
    constexpr int kPatienceMs = 3000;
    const int connection = socket(address.ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (connection < 0) {
        return {};
    }
    int error = connect(connection, address.ai_addr, address.ai_addrlen) == 0 ? 0 : errno;
    pollfd waiting{connection, POLLOUT, 0};
    if (error == EINPROGRESS && poll(&waiting, 1, kPatienceMs) > 0) {
        socklen_t bytes = sizeof error;
        getsockopt(connection, SOL_SOCKET, SO_ERROR, &error, &bytes);
    }
    close(connection);
    return error == 0 ? "open" : error == ECONNREFUSED ? "refused" : "silent";
}

void gather(const Root& root, Facts& facts)
{
    const char* const name = std::getenv("MASTER_ADDR");
    const char* const port = std::getenv("MASTER_PORT");
    if (!root.live() || name == nullptr) {
        return;
    }
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    addrinfo* list = nullptr;
    const int error = getaddrinfo(name, port, &hints, &list);
    const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> found(error == 0 ? list : nullptr,
                                                                   &freeaddrinfo);
    if (error != 0) {
        facts.set("rendezvous.error", gai_strerror(error));
        return;
    }
    char address[NI_MAXHOST];
    if (getnameinfo(found->ai_addr, found->ai_addrlen, address, sizeof address, nullptr, 0, NI_NUMERICHOST) ==
        0) {
        facts.set("rendezvous.address", address);
    }
    if (const std::string answer = port != nullptr ? answerOf(*found) : std::string(); !answer.empty()) {
        facts.set("rendezvous.answer", answer);
    }
}

} // namespace

RINGSIDE_GATHERER(gather);

} // namespace ringside::doctor::gatherer_rendezvous
