// SPDX-License-Identifier: Apache-2.0
// Samples the TCP connections of this process by pair of addresses: rate, and what sending waited for.
// Only pairs that carried data are sampled. A ring of hosts runs at the speed of its slowest link, so
// the rates of the hosts do not show which link is slow. The time for which data was in flight on each
// link does. Short runs are seen, too: the first seconds are read at every tick.
#pragma once
#include "host/netlink/socket_diag.h"
#include "sampled/source.h"

#include <array>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace ringside::collector::sampled {

class TcpPeers final : public Source {
public:
    using List = std::function<std::optional<std::vector<host::Connection>>(std::string& reason)>;
    /// Tests pass another list than the kernel's.
    explicit TcpPeers(List list = &host::ownConnections) : m_list(std::move(list)) {}
    [[nodiscard]] const char* name() const override { return "tcp"; }
    void open() override {}
    void read(Readings& readings, Pace pace) override;
    [[nodiscard]] std::string reason() const override { return m_reason; }

private:
    enum Count {
        Sent,
        Received,
        Busy,
        ReceiverLimited,
        SenderLimited,
        Segments,
        Retransmits,
        NeedlessRetransmits,
        kCounts
    };
    using Counts = std::array<std::uint64_t, kCounts>;
    using Ends = std::pair<std::string, std::string>; ///< own address, the peer's
    struct Known {
        Ends ends;
        Counts counts{};
        bool seen = true;
    };
    struct Peer {
        explicit Peer(const Ends& ends);
        [[nodiscard]] bool carriedData() const;
        std::array<Series, kCounts> series;
        Series delivery;
        Series roundTrip;
        Counts gained{};
        bool needlessKnown = true;     ///< the kernel tells which retransmissions were needless
        std::uint64_t connections = 0; ///< at the last reading
        std::uint64_t sending = 0;     ///< of them, that sent since the one before, and their sums
        std::uint64_t deliverySum = 0;
        std::uint64_t roundTripSum = 0;
    };
    [[nodiscard]] static Counts countsOf(const host::Connection& connection);
    [[nodiscard]] Peer* peerOf(const Ends& ends, Readings& readings);
    void add(const host::Connection& connection, Readings& readings);
    void write(Peer& peer, Readings& readings) const;

    List m_list;
    std::unordered_map<std::uint64_t, Known> m_known; ///< connections, by inode
    std::map<Ends, Peer> m_peers;
    int m_ticks = 0;
    bool m_first = true; ///< what connections counted before recording began is history
    bool m_saidTooMany = false;
    std::string m_reason;
};

} // namespace ringside::collector::sampled
