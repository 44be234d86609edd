// SPDX-License-Identifier: Apache-2.0
#include "rendezvous_client.h"

#include "errors.h"
#include "rendezvous_server.h"

#include <algorithm>

namespace ringside::nccl {

RendezvousClient::RendezvousClient(const UniqueId& id, int rank, int size, std::chrono::milliseconds timeout)
    : m_timeout(timeout)
    , m_deadline(std::chrono::steady_clock::now() + timeout)
    , m_socket(Socket::connectTo(id.server, timeout))
{
    const Hello hello{.secret = id.secret, .rank = rank, .size = size};
    m_socket.send(&hello, sizeof hello);
    const std::string reply = m_socket.receiveMessage();
    if (reply.empty() || reply[0] != static_cast<char>(Answer::Ok))
        throw Failure(ncclInvalidArgument,
                      "cannot join the communicator: " + reply.substr(reply.empty() ? 0 : 1));
}

std::chrono::milliseconds RendezvousClient::timeLeft() const
{
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(m_deadline - std::chrono::steady_clock::now());
    return std::max(left, std::chrono::milliseconds(1));
}

std::string RendezvousClient::ask(const std::string& request)
{
    // The server itself waits for the remaining time: its answer needs slightly longer.
    m_socket.setTimeout(timeLeft() + std::chrono::seconds(2));
    m_socket.sendMessage(request);
    const std::string reply = m_socket.receiveMessage();
    if (reply.empty() || reply[0] != static_cast<char>(Answer::Ok))
        throw Failure(
            ncclRemoteError,
            "communicator not complete after " +
                std::to_string(std::chrono::duration_cast<std::chrono::seconds>(m_timeout).count()) +
                " s (RINGSIDE_NCCL_TIMEOUT_S): " + reply.substr(reply.empty() ? 0 : 1));
    return reply.substr(1);
}

void RendezvousClient::set(const std::string& key, const std::vector<char>& data)
{
    ask(static_cast<char>(Request::Set) + key + '\0' + std::string(data.begin(), data.end()));
}

std::vector<char> RendezvousClient::get(const std::string& key)
{
    const std::string value =
        ask(static_cast<char>(Request::Get) + std::to_string(timeLeft().count()) + '\0' + key);
    return {value.begin(), value.end()};
}

void RendezvousClient::wait(const std::vector<std::string>& keys)
{
    for (const std::string& key : keys)
        get(key);
}

void RendezvousClient::wait(const std::vector<std::string>& keys, const std::chrono::milliseconds&)
{
    wait(keys); // one deadline covers the whole rendezvous
}

} // namespace ringside::nccl
