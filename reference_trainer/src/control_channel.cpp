// SPDX-License-Identifier: Apache-2.0
#include "control_channel.h"

#include "failure.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace ringside::trainer {
namespace {

enum class Kind : std::uint32_t { Hello, Welcome, Token, Failed, Goodbye };

/// All ranks run the same binary on the same kind of machine, so that plain structs are portable enough.
struct Frame {
    std::array<char, 8> magic = {'R', 'S', 'D', 'D', 'P', '0', '0', '1'};
    Kind kind = Kind::Hello;
    std::uint32_t rank = 0;
    std::uint32_t worldSize = 0;
    std::array<char, 492> payload{};
};
static_assert(sizeof(Frame) == 512);

Frame frameWithText(Kind kind, std::string_view text)
{
    Frame frame{.kind = kind};
    text.copy(frame.payload.data(), frame.payload.size() - 1);
    return frame;
}

bool send(const Socket& socket, const Frame& frame)
{
    return sendAll(socket, std::as_bytes(std::span(&frame, 1)));
}

Received receive(const Socket& socket, Frame& frame, Deadline deadline)
{
    const Received received = receiveAll(socket, std::as_writable_bytes(std::span(&frame, 1)), deadline);
    if (received == Received::Everything && frame.magic != Frame{}.magic)
        return Received::Closed;
    frame.payload.back() = '\0';
    return received;
}

} // namespace

ControlChannel::ControlChannel(const RankIdentity& identity, std::chrono::seconds timeout)
    : m_identity(identity), m_timeout(timeout), m_deadline(std::chrono::steady_clock::now() + timeout)
{
    if (identity.worldSize == 1)
        return;
    if (identity.rank == 0)
        gather();
    else
        join();
}

std::string ControlChannel::missingRanks() const
{
    std::vector<unsigned> missing;
    for (unsigned rank = 1; rank < m_identity.worldSize; ++rank) {
        if (std::ranges::none_of(m_peers, [rank](const Peer& peer) { return peer.rank == rank; }))
            missing.push_back(rank);
    }
    return fmt::format("{}", fmt::join(missing, ", "));
}

void ControlChannel::gather()
{
    const Socket listener = listenOn(m_identity.masterAddress, m_identity.masterPort);
    try {
        while (m_peers.size() + 1 < m_identity.worldSize) {
            Socket socket = acceptBefore(listener, m_deadline);
            if (!socket.isOpen()) {
                throw Failure(
                    fmt::format("of {} ranks, these did not connect to {}:{} within {} s: {}; start them, or "
                                "correct WORLD_SIZE",
                                m_identity.worldSize, m_identity.masterAddress, m_identity.masterPort,
                                m_timeout.count(), missingRanks()));
            }
            welcome(std::move(socket));
        }
    } catch (const Failure& failure) {
        announceFailure(failure.what());
        throw;
    }
    for (const Peer& peer : m_peers)
        send(peer.socket, Frame{.kind = Kind::Welcome});
}

void ControlChannel::welcome(Socket socket)
{
    Frame hello;
    // Another program on the port must not delay the ranks.
    const Deadline soon = std::min(m_deadline, std::chrono::steady_clock::now() + std::chrono::seconds(2));
    if (receive(socket, hello, soon) != Received::Everything || hello.kind != Kind::Hello)
        return;
    m_peers.push_back({.rank = hello.rank, .socket = std::move(socket)});
    if (hello.worldSize != m_identity.worldSize)
        throw Failure(
            fmt::format("rank {} has a world of {} ranks, rank 0 of {}: set the same WORLD_SIZE everywhere",
                        hello.rank, hello.worldSize, m_identity.worldSize));
    if (std::ranges::count(m_peers, hello.rank, &Peer::rank) > 1 || hello.rank == 0)
        throw Failure(fmt::format("two processes have rank {}: give every process its own RANK", hello.rank));
}

void ControlChannel::join()
{
    const std::string where = fmt::format("{}:{}", m_identity.masterAddress, m_identity.masterPort);
    Socket socket = connectBefore(m_identity.masterAddress, m_identity.masterPort, m_deadline);
    if (!socket.isOpen())
        throw Failure(fmt::format(
            "rank 0 did not answer at {} within {} s: start it, or check MASTER_ADDR, MASTER_PORT "
            "and the firewall",
            where, m_timeout.count()));
    send(socket, {.kind = Kind::Hello, .rank = m_identity.rank, .worldSize = m_identity.worldSize});
    Frame answer;
    // Slightly longer than rank 0 waits, so that its reason arrives.
    const Received received = receive(socket, answer, m_deadline + std::chrono::seconds(1));
    if (received == Received::Everything && answer.kind == Kind::Failed)
        throw Failure(fmt::format("rank 0 reports: {}", answer.payload.data()));
    if (received != Received::Everything || answer.kind != Kind::Welcome)
        throw Failure(fmt::format("the process that listens at {} (MASTER_ADDR, MASTER_PORT) {}", where,
                                  received == Received::Nothing
                                      ? "did not answer as rank 0 does: check whether it is another program"
                                      : "is not rank 0 of this job, or gave up"));
    m_peers.push_back({.rank = 0, .socket = std::move(socket)});
}

Token ControlChannel::broadcast(const Token& mine)
{
    if (m_identity.rank == 0) {
        Frame frame{.kind = Kind::Token};
        std::memcpy(frame.payload.data(), mine.data(), mine.size());
        for (const Peer& peer : m_peers)
            send(peer.socket, frame);
        return mine;
    }
    Frame frame;
    const Received received =
        receive(m_peers.front().socket, frame, std::chrono::steady_clock::now() + m_timeout);
    if (received == Received::Everything && frame.kind == Kind::Failed)
        throw Failure(fmt::format("rank 0 reports: {}", frame.payload.data()));
    if (received != Received::Everything || frame.kind != Kind::Token)
        throw Failure("rank 0 closed the connection before it sent NCCL's unique id: see its own message");
    Token token;
    std::memcpy(token.data(), frame.payload.data(), token.size());
    return token;
}

std::optional<std::string> ControlChannel::awaitFailure(std::chrono::milliseconds patience)
{
    std::vector<pollfd> entries;
    for (const Peer& peer : m_peers)
        entries.push_back(
            {.fd = peer.finished ? -1 : peer.socket.descriptor(), .events = POLLIN, .revents = 0});
    if (poll(entries.data(), entries.size(), static_cast<int>(patience.count())) <= 0)
        return std::nullopt;
    for (std::size_t i = 0; i < m_peers.size(); ++i) {
        if (entries[i].revents == 0)
            continue;
        Frame frame;
        const Deadline soon = std::chrono::steady_clock::now() + std::chrono::seconds(1);
        if (receive(m_peers[i].socket, frame, soon) != Received::Everything)
            return fmt::format("rank {} closed the connection without a message (killed?)", m_peers[i].rank);
        if (frame.kind == Kind::Failed)
            return m_peers[i].rank == 0
                       ? fmt::format("rank 0 reports: {}", frame.payload.data())
                       : fmt::format("rank {} failed: {}", m_peers[i].rank, frame.payload.data());
        m_peers[i].finished = frame.kind == Kind::Goodbye;
    }
    return std::nullopt;
}

void ControlChannel::announceFailure(std::string_view reason)
{
    for (const Peer& peer : m_peers)
        send(peer.socket, frameWithText(Kind::Failed, reason));
}

void ControlChannel::finish()
{
    for (const Peer& peer : m_peers)
        send(peer.socket, Frame{.kind = Kind::Goodbye});
    if (m_identity.rank != 0)
        return;
    // Closing a socket with unread bytes resets the connection and could lose the goodbye message: the rest
    // is read first.
    const Deadline deadline = std::chrono::steady_clock::now() + m_timeout;
    for (const Peer& peer : m_peers) {
        Frame rest;
        while (receive(peer.socket, rest, deadline) == Received::Everything) {
        }
    }
}

} // namespace ringside::trainer
