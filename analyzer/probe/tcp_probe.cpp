// SPDX-License-Identifier: Apache-2.0
#include "probe/tcp_probe.h"

#include <endian.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <vector>

namespace ringside::probe {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kTcpBlock = 256U << 10U;
/// First byte of a message of kMessage bytes: either answer it, or the burst begins, which ends with a
/// half-closed connection.
constexpr std::size_t kMessage = 8;
constexpr char kPing = 'p';
constexpr char kBurst = 'b';

double microsecondsOf(Clock::duration time)
{
    return std::chrono::duration<double, std::micro>(time).count();
}

/// Returns sorted round trips in us, as many as fit into the time; empty if the other side left.
std::vector<double> ping(int connection, const Bounds& bounds)
{
    std::vector<double> times;
    std::array<char, kMessage> message{kPing};
    const auto last = Clock::now() + std::chrono::milliseconds(bounds.milliseconds);
    for (int i = 0; i < bounds.pings && (times.empty() || Clock::now() < last); ++i) {
        const auto begin = Clock::now();
        if (!sendAll(connection, message.data(), kMessage) ||
            !receiveAll(connection, message.data(), kMessage)) {
            return {};
        }
        times.push_back(microsecondsOf(Clock::now() - begin));
    }
    std::ranges::sort(times);
    return times;
}

/// Counts the segments that were retransmitted because they had not arrived. The receiver reports (DSACK)
/// those that it had already; kernels before 4.20 leave that field 0.
std::optional<std::uint64_t> lostSegments(int connection)
{
    tcp_info info{};
    socklen_t bytes = sizeof info;
    if (getsockopt(connection, IPPROTO_TCP, TCP_INFO, &info, &bytes) != 0) {
        return std::nullopt;
    }
    return info.tcpi_total_retrans - std::min(info.tcpi_total_retrans, info.tcpi_dsack_dups);
}

void readKernel(int connection, Measurement& result)
{
    tcp_info info{};
    socklen_t bytes = sizeof info;
    if (getsockopt(connection, IPPROTO_TCP, TCP_INFO, &info, &bytes) != 0) {
        return;
    }
    result.retransmits = info.tcpi_total_retrans;
    if (info.tcpi_busy_time > 0) {
        const auto busy = static_cast<double>(info.tcpi_busy_time);
        result.receiverShare = static_cast<double>(info.tcpi_rwnd_limited) / busy;
        result.senderShare = static_cast<double>(info.tcpi_sndbuf_limited) / busy;
    }
}

/// Sends until a limit is reached, then receives the number of bytes that arrived: the time includes the last
/// byte.
bool burst(int connection, const Bounds& bounds, Measurement& result)
{
    const std::vector<char> block(kTcpBlock);
    const std::array<char, kMessage> start{kBurst};
    if (!sendAll(connection, start.data(), kMessage)) {
        return false;
    }
    const auto begin = Clock::now();
    const auto last = begin + std::chrono::milliseconds(bounds.milliseconds);
    for (std::uint64_t sent = 0; sent < bounds.bytes && Clock::now() < last; sent += kTcpBlock) {
        if (!sendAll(connection, block.data(), kTcpBlock)) {
            return false;
        }
    }
    readKernel(connection, result);
    shutdown(connection, SHUT_WR);
    std::uint64_t answer = 0;
    if (!receiveAll(connection, reinterpret_cast<char*>(&answer), sizeof answer)) {
        return false;
    }
    const double us = microsecondsOf(Clock::now() - begin);
    result.bytes = be64toh(answer);
    result.gbps = static_cast<double>(result.bytes) * 8.0 / us / 1e3;
    return true;
}

} // namespace

bool serveProbe(const Descriptor& listener)
{
    const Descriptor connection = acceptAt(listener, kProbePatience);
    std::array<char, kMessage> message{};
    while (connection && receiveAll(connection.number(), message.data(), kMessage)) {
        if (message[0] == kPing) {
            if (!sendAll(connection.number(), message.data(), kMessage)) {
                return false;
            }
            continue;
        }
        std::vector<char> block(kTcpBlock);
        std::uint64_t received = 0;
        for (ssize_t bytes = 0; (bytes = recv(connection.number(), block.data(), block.size(), 0)) > 0;) {
            received += static_cast<std::uint64_t>(bytes);
        }
        const std::uint64_t answer = htobe64(received);
        return sendAll(connection.number(), reinterpret_cast<const char*>(&answer), sizeof answer);
    }
    return false;
}

std::optional<Measurement> runProbe(const Endpoint& server, const Bounds& bounds)
{
    const Descriptor connection = connectTo(server, kProbePatience);
    if (!connection) {
        return std::nullopt;
    }
    const std::vector<double> times = ping(connection.number(), bounds);
    Measurement result;
    result.pings = times.size();
    result.pingsLost = lostSegments(connection.number());
    if (times.empty() || !burst(connection.number(), bounds, result)) {
        return std::nullopt;
    }
    result.roundTripUs = times[times.size() / 2];
    result.roundTripP99Us = times[times.size() * 99 / 100];
    result.roundTripP999Us = times[times.size() * 999 / 1000];
    return result;
}

} // namespace ringside::probe
