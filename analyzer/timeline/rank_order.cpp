// SPDX-License-Identifier: Apache-2.0
#include "timeline/rank_order.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace ringside::timeline {
namespace {

std::string placeGroup(const model::ParallelLayout& layout, std::size_t rank)
{
    if (!layout.isKnown()) {
        return {};
    }
    const model::ParallelPlace& place = layout.places[rank];
    return place.stage     ? fmt::format("stage {}", *place.stage)
           : place.tensor  ? fmt::format("tensor place {}", *place.tensor)
           : place.replica ? fmt::format("replica {}", *place.replica)
                           : std::string();
}

/// By what a rank is sorted, ascending: a number, which is the largest where it was not measured.
std::vector<double> keysOf(const report::Report& report, RankOrder order)
{
    std::vector<double> keys(report.model.ranks.size(), std::numeric_limits<double>::max());
    for (std::size_t i = 0; i < keys.size(); ++i) {
        if (order == RankOrder::Host) {
            keys[i] = static_cast<double>(report.model.ranks[i].host);
        } else if (order == RankOrder::Place && report.model.layout.isKnown()) {
            const model::ParallelPlace& place = report.model.layout.places[i];
            keys[i] =
                static_cast<double>(place.stage.value_or(place.tensor.value_or(place.replica.value_or(0))));
        }
    }
    for (const metrics::RankMetrics& rank : report.metrics.ranks) {
        if (order == RankOrder::CameLast && report.metrics.arrivalsMeasured()) {
            keys[rank.rank] = -static_cast<double>(rank.lastArrivals);
        } else if (order == RankOrder::Useful && report.metrics.usefulMeasured()) {
            keys[rank.rank] = rank.total.usefulUtilization();
        }
    }
    return keys;
}

} // namespace

std::vector<OrderedRank> orderRanks(const report::Report& report, RankOrder order)
{
    const model::Model& model = report.model;
    std::vector<OrderedRank> result;
    for (std::size_t rank = 0; rank < model.ranks.size(); ++rank) {
        const std::string& host = model.hosts[model.ranks[rank].host].name;
        result.push_back({rank, order == RankOrder::Host ? (host.empty() ? "host not named" : "host " + host)
                                : order == RankOrder::Place ? placeGroup(model.layout, rank)
                                                            : std::string()});
    }
    if (order != RankOrder::Number) {
        const std::vector<double> keys = keysOf(report, order);
        std::ranges::stable_sort(result, {}, [&](const OrderedRank& each) { return keys[each.rank]; });
    }
    return result;
}

} // namespace ringside::timeline
