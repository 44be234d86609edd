// SPDX-License-Identifier: Apache-2.0
#include "report/rank_groups.h"

#include "values/quantile.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

namespace ringside::report {
namespace {

constexpr double kLeastShareOfStep = 0.02;
constexpr double kUsualDeviations = 5;
constexpr double kDeviationOfMedian = 1.4826; // standard deviations in a median absolute deviation, if normal

const std::vector<metrics::RankMetrics>& ranksOf(const Report& report)
{
    return report.metrics.ranks;
}

/// 1 for all ranks of a job without stages.
std::int64_t stageOf(const Report& report, std::size_t place)
{
    const model::ParallelLayout& layout = report.model.layout;
    return layout.isKnown() ? layout.places[ranksOf(report)[place].rank].stage.value_or(1) : 1;
}

template <class KeyOf>
auto membersBy(const Report& report, const KeyOf& keyOf)
{
    std::map<decltype(keyOf(std::size_t{0})), std::vector<std::size_t>> members;
    for (std::size_t i = 0; i < ranksOf(report).size(); ++i) {
        members[keyOf(i)].push_back(i);
    }
    return members;
}

std::vector<RankGroup> stages(const Report& report)
{
    std::vector<RankGroup> groups;
    for (auto& [stage, members] : membersBy(report, [&](std::size_t i) { return stageOf(report, i); })) {
        groups.push_back(
            {fmt::format("{}/{}", stage, report.model.layout.sizes.pipeline), std::move(members)});
    }
    return groups;
}

std::vector<RankGroup> hosts(const Report& report)
{
    const auto hostOf = [&](std::size_t i) { return report.model.ranks[ranksOf(report)[i].rank].host; };
    std::vector<RankGroup> groups;
    for (auto& [host, members] : membersBy(report, hostOf)) {
        groups.push_back({report.model.hosts[host].name, std::move(members)});
    }
    return groups;
}

std::vector<RankGroup> tenthsByCompute(const Report& report)
{
    constexpr std::size_t kTenths = 10;
    std::vector<std::size_t> order(ranksOf(report).size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, {}, [&](std::size_t i) {
        return ranksOf(report)[i].ofAStep(ranksOf(report)[i].total.computeNs);
    });
    std::vector<RankGroup> groups;
    for (std::size_t tenth = 0; tenth < kTenths; ++tenth) {
        const auto first = order.begin() + static_cast<std::ptrdiff_t>(order.size() * tenth / kTenths);
        const auto last = order.begin() + static_cast<std::ptrdiff_t>(order.size() * (tenth + 1) / kTenths);
        if (first != last) {
            groups.push_back({fmt::format("{}-{} %", kTenths * tenth, kTenths * (tenth + 1)), {first, last}});
        }
    }
    return groups;
}

/// How far a figure of each peer is from their median, in ns; 0 where that is usual among them.
std::vector<double> unusualDifferences(const Report& report, const std::vector<std::size_t>& peers,
                                       std::int64_t metrics::Breakdown::*figure)
{
    const auto valueOf = [&](std::size_t place) {
        const metrics::RankMetrics& rank = ranksOf(report)[place];
        return static_cast<double>(rank.ofAStep(rank.total.*figure));
    };
    std::vector<double> differences;
    std::ranges::transform(peers, std::back_inserter(differences), valueOf);
    const double middle = values::median(differences);
    std::vector<double> sizes;
    for (double& difference : differences) {
        difference = std::abs(difference - middle);
        sizes.push_back(difference);
    }
    const double usual = kUsualDeviations * kDeviationOfMedian * values::median(std::move(sizes));
    const double least = kLeastShareOfStep * static_cast<double>(report.metrics.stepNs());
    for (double& difference : differences) {
        difference = difference >= least && difference > usual ? difference : 0;
    }
    return differences;
}

} // namespace

RankGroups groupRanks(const Report& report, std::size_t most)
{
    if (report.model.layout.isKnown() && report.model.layout.sizes.pipeline > 1) {
        return {"stage", stages(report)};
    }
    std::vector<RankGroup> byHost = hosts(report);
    const bool named =
        std::ranges::none_of(byHost, [](const RankGroup& group) { return group.name.empty(); });
    if (named && byHost.size() > 1 && byHost.size() <= most) {
        return {"host", std::move(byHost)};
    }
    return {"by compute", tenthsByCompute(report)};
}

std::vector<std::size_t> outlyingRanks(const Report& report, std::size_t most)
{
    constexpr std::int64_t metrics::Breakdown::*kFigures[] = {
        &metrics::Breakdown::computeNs, &metrics::Breakdown::exposedCopyNs, &metrics::Breakdown::idleNs};
    std::map<std::size_t, double> largest;
    for (const auto& [stage, peers] : membersBy(report, [&](std::size_t i) { return stageOf(report, i); })) {
        for (const auto figure : kFigures) {
            const std::vector<double> differences = unusualDifferences(report, peers, figure);
            for (std::size_t i = 0; i < peers.size(); ++i) {
                largest[peers[i]] = std::max(largest[peers[i]], differences[i]);
            }
        }
    }
    std::vector<std::size_t> outliers;
    for (const auto& [place, difference] : largest) {
        if (difference > 0) {
            outliers.push_back(place);
        }
    }
    std::ranges::stable_sort(outliers, std::greater(), [&](std::size_t place) { return largest[place]; });
    outliers.resize(std::min(outliers.size(), most));
    return outliers;
}

} // namespace ringside::report
