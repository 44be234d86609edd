// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/traffic_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace ringside::gui {
namespace {

document::Cell cellOf(const metrics::PairTraffic& pair)
{
    document::Cell megabytes(static_cast<double>(pair.bytes), values::Unit::Bytes,
                             {.kind = document::NumberStyle::Kind::Significant, .digits = 4, .divisor = 1e6});
    return pair.medianGBs ? std::move(megabytes).with(fmt::format(" at {:.3g} GB/s", *pair.medianGBs))
                          : megabytes;
}

} // namespace

document::Table trafficTable(const metrics::Traffic& traffic)
{
    constexpr std::size_t kMost = 64;
    std::set<std::int64_t> receivers;
    std::map<std::int64_t, std::map<std::int64_t, document::Cell>> cells;
    for (const metrics::PairTraffic& pair : traffic.pairs) {
        receivers.insert(pair.receiver);
        cells[pair.sender].emplace(pair.receiver, cellOf(pair));
    }
    document::Table table{{"from \\ to"}, {}};
    const auto last = std::ranges::next(receivers.begin(), kMost, receivers.end());
    for (auto receiver = receivers.begin(); receiver != last; ++receiver) {
        table.header.push_back(fmt::format("rank {}", *receiver));
    }
    for (const auto& [sender, ofReceiver] : cells) {
        std::vector<document::Cell>& row = table.rows.emplace_back();
        row.emplace_back(fmt::format("rank {}", sender));
        for (auto receiver = receivers.begin(); receiver != last; ++receiver) {
            const auto cell = ofReceiver.find(*receiver);
            row.push_back(cell != ofReceiver.end() ? cell->second : document::Cell());
        }
    }
    if (last != receivers.end()) {
        table.header.push_back(fmt::format("{} more", std::distance(last, receivers.end())));
    }
    return table;
}

QString trafficTitle(const metrics::Traffic& traffic)
{
    switch (traffic.source) {
    case metrics::Traffic::Source::Network:
        return QStringLiteral("MB sent by NCCL's proxies over the network, and the median rate of a message");
    case metrics::Traffic::Source::Calls:
        return QStringLiteral("MB sent by the program with ncclSend");
    case metrics::Traffic::Source::None:
        break;
    }
    return QStringLiteral(
        "Not measured: Ringside knows sender and receiver of ncclSend calls, and of messages over the "
        "network if they were recorded (ringside record --profile deep).");
}

} // namespace ringside::gui
