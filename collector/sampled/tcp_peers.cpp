// SPDX-License-Identifier: Apache-2.0
#include "sampled/tcp_peers.h"

#include <algorithm>

namespace ringside::collector::sampled {
namespace {

/// Less is management, or whom the program asks something: not stored.
constexpr std::uint64_t kDataBytes = 1U << 20U;
constexpr std::size_t kMostPeers = 256;
/// Five seconds at the usual pace: a few steps of a short run, between which losses are to be counted.
constexpr int kFirstTicks = 50;

/// Ranks of one machine: no link between hosts.
bool isThisMachine(const host::Connection& connection)
{
    return connection.local == connection.peer || connection.peer.starts_with("127.") ||
           connection.peer == "::1";
}

} // namespace

TcpPeers::Peer::Peer(const Ends& ends)
{
    using enum trace::SeriesName;
    constexpr std::array<trace::SeriesName, kCounts> kNames{
        TcpTxBytes,       TcpRxBytes,  TcpBusy,        TcpReceiverLimited,
        TcpSenderLimited, TcpSegments, TcpRetransmits, TcpNeedlessRetransmits};
    const std::string entity = ends.first + " > " + ends.second;
    for (std::size_t i = 0; i < kCounts; ++i) {
        series[i].entity = entity;
        series[i].name = kNames[i];
    }
    delivery.entity = entity;
    delivery.name = TcpDeliveryRate;
    roundTrip.entity = entity;
    roundTrip.name = TcpRoundTrip;
}

bool TcpPeers::Peer::carriedData() const
{
    return gained[Sent] + gained[Received] >= kDataBytes;
}

TcpPeers::Counts TcpPeers::countsOf(const host::Connection& connection)
{
    return {connection.sentBytes,       connection.receivedBytes,
            connection.busyUs,          connection.receiverLimitedUs,
            connection.senderLimitedUs, connection.segments,
            connection.retransmits,     connection.needlessRetransmits.value_or(0)};
}

void TcpPeers::read(Readings& readings, Pace pace)
{
    const bool isYoung = m_ticks < kFirstTicks;
    m_ticks += isYoung ? 1 : 0;
    if ((pace != Pace::OnceASecond && !isYoung) || !m_reason.empty()) {
        return;
    }
    readings.beginMoment();
    const auto connections = m_list(m_reason);
    if (!connections) {
        return;
    }
    for (auto& [inode, known] : m_known) {
        known.seen = false;
    }
    for (auto& [ends, peer] : m_peers) {
        peer.connections = 0;
    }
    for (const host::Connection& connection : *connections) {
        if (!isThisMachine(connection)) {
            add(connection, readings);
        }
    }
    std::erase_if(m_known, [](const auto& entry) { return !entry.second.seen; });
    m_first = false;
    for (auto& [ends, peer] : m_peers) {
        write(peer, readings);
    }
    std::erase_if(m_peers, [](const auto& entry) { // their series are not in the trace
        return entry.second.connections == 0 && !entry.second.carriedData();
    });
}

TcpPeers::Peer* TcpPeers::peerOf(const Ends& ends, Readings& readings)
{
    if (const auto found = m_peers.find(ends); found != m_peers.end()) {
        return &found->second;
    }
    if (m_peers.size() == kMostPeers) {
        if (!m_saidTooMany) {
            m_saidTooMany = true;
            readings.report({trace::Issue::TcpPeersNotSampled, 1,
                             "TCP connections to more than 256 addresses: the others are not sampled"});
        }
        return nullptr;
    }
    return &m_peers.try_emplace(ends, ends).first->second;
}

// An inode may be another connection's by now: then its counters began anew.
void TcpPeers::add(const host::Connection& connection, Readings& readings)
{
    const Ends ends{connection.local, connection.peer};
    const Counts now = countsOf(connection);
    const auto [known, isNew] = m_known.try_emplace(connection.inode);
    const bool same = !isNew && known->second.ends == ends &&
                      std::equal(now.begin(), now.end(), known->second.counts.begin(),
                                 [](std::uint64_t later, std::uint64_t earlier) { return later >= earlier; });
    const Counts before = same ? known->second.counts : m_first ? now : Counts{};
    known->second = {ends, now, true};
    Peer* const peer = peerOf(ends, readings);
    if (peer == nullptr) {
        return;
    }
    ++peer->connections;
    peer->needlessKnown = peer->needlessKnown && connection.needlessRetransmits;
    for (std::size_t i = 0; i < kCounts; ++i) {
        peer->gained[i] += now[i] - before[i];
    }
    if (now[Sent] > before[Sent]) {
        ++peer->sending;
        peer->deliverySum += connection.deliveryBytesPerS;
        peer->roundTripSum += connection.roundTripUs;
    }
}

void TcpPeers::write(Peer& peer, Readings& readings) const
{
    if (peer.carriedData()) {
        for (std::size_t i = 0; i < kCounts; ++i) {
            if (i != NeedlessRetransmits || peer.needlessKnown) {
                readings.add(peer.series[i], peer.gained[i]);
            }
        }
        if (peer.sending > 0 && peer.deliverySum > 0) {
            readings.add(peer.delivery, peer.deliverySum / peer.sending);
            readings.add(peer.roundTrip, peer.roundTripSum / peer.sending);
        }
    }
    peer.sending = peer.deliverySum = peer.roundTripSum = 0;
}

} // namespace ringside::collector::sampled
