// SPDX-License-Identifier: Apache-2.0
#include "metrics/tcp_links.h"

#include "metrics/gigabytes.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <unordered_map>

namespace ringside::metrics {
namespace {

constexpr char kTcp[] = "tcp";
constexpr std::string_view kBetweenEnds = " > "; ///< separates own and peer address in a series' entity

struct Ends {
    std::string_view local;
    std::string_view peer;
};

std::optional<Ends> endsOf(std::string_view entity)
{
    const std::size_t arrow = entity.find(kBetweenEnds);
    return arrow == std::string_view::npos
               ? std::nullopt
               : std::optional(Ends{entity.substr(0, arrow), entity.substr(arrow + kBetweenEnds.size())});
}

/// Finds the host that owns an address. An address that several hosts have, such as that of a container
/// bridge, belongs to none.
class Addresses {
public:
    explicit Addresses(const model::Model& model)
    {
        for (const model::Rank& rank : model.ranks) {
            for (const trace::SeriesRow& row : model.processOf(rank).series) {
                if (const auto ends = row.source == kTcp ? endsOf(row.entity) : std::nullopt) {
                    m_hosts[std::string(ends->local)].insert(rank.host);
                }
            }
        }
    }
    [[nodiscard]] std::optional<std::size_t> hostOf(std::string_view address) const
    {
        const auto found = m_hosts.find(address);
        return found != m_hosts.end() && found->second.size() == 1 ? std::optional(*found->second.begin())
                                                                   : std::nullopt;
    }

private:
    std::map<std::string, std::set<std::size_t>, std::less<>> m_hosts;
};

/// Returns the TCP samples of one process by entity.
std::map<std::string, Port> peersOf(const model::Model& model, const model::Rank& rank)
{
    const trace::ProcessTrace& process = model.processOf(rank);
    std::map<std::string, Port> peers;
    std::unordered_map<std::uint32_t, std::vector<SampleValue>*> bySeries;
    for (const trace::SeriesRow& row : process.series) {
        if (row.source == kTcp) {
            bySeries.emplace(static_cast<std::uint32_t>(row.id), &peers[row.entity].values[row.metric]);
        }
    }
    const trace::SampleColumns& samples = process.samples;
    for (std::size_t i = 0; !bySeries.empty() && i < samples.size(); ++i) {
        if (const auto found = bySeries.find(samples.series[i]); found != bySeries.end()) {
            found->second->push_back({rank.clock.toRun(samples.timeNs[i]), samples.value[i]});
        }
    }
    return peers;
}

/// Returns the median of a gauge. Zeros count as missing values.
std::optional<std::int64_t> medianOfGauge(const Port& peer, const trace::SeriesMetric& metric)
{
    const auto found = peer.values.find(metric);
    std::vector<std::int64_t> values;
    for (const SampleValue& each : found != peer.values.end() ? found->second : std::vector<SampleValue>{}) {
        if (each.value > 0) {
            values.push_back(each.value);
        }
    }
    return values.empty() ? std::nullopt : std::optional(model::median(std::move(values)));
}

std::int64_t gained(const Port& peer, const trace::SeriesMetric& metric)
{
    return peer.gain(metric).value_or(0);
}

std::int64_t nanoseconds(std::int64_t us)
{
    constexpr std::int64_t kNsAUs = 1000;
    return std::min(us, std::numeric_limits<std::int64_t>::max() / kNsAUs) * kNsAUs;
}

/// Returns the time between the two readings with the most time in flight.
model::Interval busiest(const Port& peer)
{
    Gain most;
    for (const Gain& each : peer.gains("busy_us")) {
        most = each.gain > most.gain ? each : most;
    }
    return most.between;
}

/// Returns the part of a link that belongs to one process.
TcpLink linkOf(const Port& peer)
{
    TcpLink link;
    link.bytes = gained(peer, "tx_bytes");
    link.receiverLimitedNs = nanoseconds(gained(peer, "receiver_limited_us"));
    link.senderLimitedNs = nanoseconds(gained(peer, "sender_limited_us"));
    link.underWayNs = std::max<std::int64_t>(0, nanoseconds(gained(peer, "busy_us")) -
                                                    link.receiverLimitedNs - link.senderLimitedNs);
    link.retransmits = gained(peer, "retransmits");
    link.segments = peer.gain("segments_sent");
    link.needlessRetransmits = peer.gain("retransmits_needless");
    if (const auto rate = medianOfGauge(peer, "delivery_bytes_per_s")) {
        link.deliveryGBs = static_cast<double>(*rate) / kBytesPerGigabyte;
    }
    if (const auto roundTrip = medianOfGauge(peer, "round_trip_us")) {
        link.roundTripNs = nanoseconds(*roundTrip);
    }
    link.processes = 1;
    link.sampled = peer.sampled();
    link.busiest = busiest(peer);
    return link;
}

/// A sum of which a part is not known is not known.
std::optional<std::int64_t> sumOf(std::optional<std::int64_t> one, std::optional<std::int64_t> other)
{
    return one && other ? std::optional(model::addCapped(*one, *other)) : std::nullopt;
}

/// Adds the part of another process. Rates are taken from the process that sent most.
void join(TcpLink& link, const TcpLink& part)
{
    if (link.processes == 0 || part.bytes > link.bytes / link.processes) {
        link.deliveryGBs = part.deliveryGBs;
        link.roundTripNs = part.roundTripNs;
        link.busiest = part.busiest;
        link.rank = part.rank;
    }
    const model::Interval sampled = link.processes == 0 ? part.sampled : link.sampled;
    link.sampled = {std::min(sampled.start, part.sampled.start), std::max(sampled.end, part.sampled.end)};
    link.bytes = model::addCapped(link.bytes, part.bytes);
    link.underWayNs = model::addCapped(link.underWayNs, part.underWayNs);
    link.receiverLimitedNs = model::addCapped(link.receiverLimitedNs, part.receiverLimitedNs);
    link.senderLimitedNs = model::addCapped(link.senderLimitedNs, part.senderLimitedNs);
    link.retransmits = model::addCapped(link.retransmits, part.retransmits);
    const bool isFirst = link.processes == 0;
    link.segments = isFirst ? part.segments : sumOf(link.segments, part.segments);
    link.needlessRetransmits =
        isFirst ? part.needlessRetransmits : sumOf(link.needlessRetransmits, part.needlessRetransmits);
    ++link.processes;
}

} // namespace

std::optional<double> TcpLink::gbs() const
{
    return underWayNs > 0 ? std::optional(static_cast<double>(bytes) / static_cast<double>(underWayNs))
                          : std::nullopt;
}

double TcpLink::busyShare() const
{
    const double ns = static_cast<double>(sampled.length()) * static_cast<double>(processes);
    return ns > 0 ? static_cast<double>(underWayNs) / ns : 0.0;
}

std::vector<TcpLink> tcpLinksOf(const model::Model& model)
{
    const Addresses addresses(model);
    std::map<std::pair<std::size_t, std::size_t>, TcpLink> links;
    std::set<std::size_t> seen; // a process may hold several ranks
    for (std::size_t i = 0; i < model.ranks.size(); ++i) {
        const model::Rank& rank = model.ranks[i];
        if (!seen.insert(rank.process).second) {
            continue;
        }
        for (const auto& [entity, peer] : peersOf(model, rank)) {
            const auto ends = endsOf(entity);
            const std::size_t receiver = ends ? addresses.hostOf(ends->peer).value_or(rank.host) : rank.host;
            TcpLink part = linkOf(peer);
            if (receiver == rank.host || part.bytes <= 0) {
                continue;
            }
            part.rank = i;
            TcpLink& link = links[{rank.host, receiver}];
            link.sender = rank.host;
            link.receiver = receiver;
            join(link, part);
        }
    }
    std::vector<TcpLink> result;
    for (const auto& [ends, link] : links) {
        result.push_back(link);
    }
    return result;
}

} // namespace ringside::metrics
