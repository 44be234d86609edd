// SPDX-License-Identifier: Apache-2.0
#include "metrics/host_traffic.h"

#include "metrics/messages.h"
#include "metrics/tcp_links.h"

#include <algorithm>
#include <map>
#include <unordered_map>

namespace ringside::metrics {
namespace {

std::vector<HostTraffic> betweenHosts(const model::Model& model, const Traffic& traffic)
{
    std::unordered_map<std::int64_t, std::size_t> hostOf; // by rank number
    for (const model::Rank& rank : model.ranks) {
        hostOf.emplace(rank.rank, rank.host);
    }
    std::map<std::pair<std::size_t, std::size_t>, HostTraffic> pairs;
    for (const PairTraffic& each : traffic.pairs) {
        const auto sender = hostOf.find(each.sender);
        const auto receiver = hostOf.find(each.receiver);
        if (sender == hostOf.end() || receiver == hostOf.end() || sender->second == receiver->second) {
            continue;
        }
        HostTraffic& pair = pairs[{sender->second, receiver->second}];
        pair.sender = sender->second;
        pair.receiver = receiver->second;
        pair.bytes = model::addCapped(pair.bytes, each.bytes);
        if (each.medianGBs) {
            pair.gbs = std::min(pair.gbs.value_or(*each.medianGBs), *each.medianGBs);
        }
    }
    std::vector<HostTraffic> result;
    std::ranges::transform(pairs, std::back_inserter(result), [](const auto& entry) { return entry.second; });
    return result;
}

std::vector<HostTraffic> overTcp(const model::Model& model)
{
    std::vector<HostTraffic> result;
    for (const TcpLink& link : tcpLinksOf(model)) {
        result.push_back({link.sender, link.receiver, link.bytes, link.gbs(), link.retransmits, link.rank,
                          link.busiest.length() > 0 ? std::optional(link.busiest) : std::nullopt});
    }
    return result;
}

} // namespace

std::string_view trafficSourceText(TrafficSource source)
{
    switch (source) {
    case TrafficSource::Messages:
        return "Bytes that NCCL's proxies sent over the network.";
    case TrafficSource::Tcp:
        return "Bytes sent over TCP, as the kernels counted them. Data sent by RDMA is not among them.";
    case TrafficSource::Calls:
        return "Bytes that the program sent with ncclSend. What collectives sent is not among them.";
    case TrafficSource::None:
        break;
    }
    return "Which hosts exchanged data was not measured. It is known from TCP connections (tier sampled) and "
           "from NCCL's proxies (ringside record --profile deep).";
}

HostsTraffic hostTrafficOf(const model::Model& model)
{
    const Traffic traffic = trafficOf(model);
    const auto ofRanks = betweenHosts(model, traffic);
    if (traffic.source == Traffic::Source::Network && !ofRanks.empty()) {
        return {TrafficSource::Messages, ofRanks};
    }
    if (auto links = overTcp(model); !links.empty()) {
        return {TrafficSource::Tcp, std::move(links)};
    }
    return ofRanks.empty() ? HostsTraffic{} : HostsTraffic{TrafficSource::Calls, ofRanks};
}

} // namespace ringside::metrics
