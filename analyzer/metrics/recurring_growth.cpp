// SPDX-License-Identifier: Apache-2.0
#include "metrics/recurring_growth.h"

#include "metrics/compute_launches.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string_view>

namespace ringside::metrics {
namespace {

constexpr std::size_t kMoreThanUsual = std::numeric_limits<std::size_t>::max();

using Growth = std::map<LaunchPosition, double>; ///< ns above the usual time, negative below it

std::map<std::string_view, std::size_t> usualCounts(const std::vector<StepLaunches>& steps)
{
    std::map<std::string_view, std::vector<std::int64_t>> counts;
    for (const StepLaunches& step : steps) {
        std::map<std::string_view, std::int64_t> ofStep;
        for (const ComputeLaunch& launch : step) {
            ++ofStep[launch.position.first];
        }
        for (const auto& [name, count] : ofStep) {
            counts[name].push_back(count);
        }
    }
    std::map<std::string_view, std::size_t> usual;
    for (auto& [name, all] : counts) {
        all.resize(steps.size()); // steps without this kernel
        usual[name] = static_cast<std::size_t>(model::median(std::move(all)));
    }
    return usual;
}

/// Gives launches beyond the usual number of their name one position together.
std::vector<StepLaunches> withUsualCounts(std::vector<StepLaunches> steps)
{
    const auto usual = usualCounts(steps);
    for (StepLaunches& step : steps) {
        std::map<std::string_view, double> more;
        std::erase_if(step, [&](const ComputeLaunch& launch) {
            const bool beyond = launch.position.second >= usual.at(launch.position.first);
            more[launch.position.first] += beyond ? launch.ns : 0;
            return beyond;
        });
        for (const auto& [name, ns] : more) {
            step.push_back({{name, kMoreThanUsual}, ns});
        }
    }
    return steps;
}

std::vector<Growth> growthsOf(std::vector<StepLaunches> launches)
{
    const std::vector<StepLaunches> steps = withUsualCounts(std::move(launches));
    const std::map<LaunchPosition, double> usual = usualTimes(steps);
    std::vector<Growth> growths;
    for (const StepLaunches& step : steps) {
        Growth& growth = growths.emplace_back();
        for (const auto& [position, ns] : usual) {
            growth[position] = -ns;
        }
        for (const ComputeLaunch& launch : step) {
            growth[launch.position] += launch.ns;
        }
    }
    return growths;
}

struct RankGrowth {
    std::size_t rank = 0; ///< index into Model::ranks
    Growth growth;
};

std::vector<RankGrowth> growthsOf(const model::Model& model, const RunMetrics& run,
                                  std::span<const LongCompute> longest)
{
    std::vector<RankGrowth> found;
    for (std::size_t rank = 0; rank < run.ranks.size(); ++rank) {
        const std::vector<std::size_t> steps = chosenSteps(run.ranks[rank].windows.size());
        std::vector<std::size_t> wanted; // of `steps`
        for (const LongCompute& each : longest) {
            const auto at = std::ranges::lower_bound(steps, each.step);
            if (each.rank == rank && at != steps.end() && *at == each.step) {
                wanted.push_back(static_cast<std::size_t>(at - steps.begin()));
            }
        }
        if (wanted.empty()) {
            continue;
        }
        std::vector<Growth> growths = growthsOf(computeLaunchesOf(model, run.ranks[rank], steps));
        for (const std::size_t step : wanted) {
            found.push_back({run.ranks[rank].rank, std::move(growths[step])});
        }
    }
    return found;
}

double product(const Growth& a, const Growth& b)
{
    double sum = 0;
    for (const auto& [position, ns] : a) {
        const auto other = b.find(position);
        sum += other == b.end() ? 0 : ns * other->second;
    }
    return sum;
}

/// The growths of a rank and its peers. Sums are exact, because all durations are whole ns.
struct PeerGrowth {
    std::size_t rank = 0; ///< one of the peers
    Growth sum;
};

/// Returns the place of the peers of a rank in `peers`, to which they are added if they are not there.
std::size_t peersOf(const model::Model& model, std::vector<PeerGrowth>& peers, std::size_t rank)
{
    const auto found = std::ranges::find_if(peers, [&](const PeerGrowth& each) {
        return each.rank == rank || model.layout.arePeers(each.rank, rank);
    });
    if (found != peers.end()) {
        return static_cast<std::size_t>(found - peers.begin());
    }
    peers.push_back({rank, {}});
    return peers.size() - 1;
}

/// Returns the cosine between one growth and the sum of the others of its rank and its peers. Null if there
/// are no others.
std::optional<double> similarity(const Growth& own, const Growth& all)
{
    Growth others = all;
    for (const auto& [position, ns] : own) {
        others[position] -= ns;
    }
    const double lengths = std::sqrt(product(own, own) * product(others, others));
    return lengths > 0 ? std::optional(product(own, others) / lengths) : std::nullopt;
}

} // namespace

std::optional<double> recurringGrowth(const model::Model& model, const RunMetrics& run,
                                      std::span<const LongCompute> longest)
{
    constexpr std::size_t kFewest = 3;
    const std::vector<RankGrowth> all = growthsOf(model, run, longest);
    std::vector<PeerGrowth> peers;
    std::vector<std::size_t> places;
    for (const RankGrowth& each : all) {
        places.push_back(peersOf(model, peers, each.rank));
        for (const auto& [position, ns] : each.growth) {
            peers[places.back()].sum[position] += ns;
        }
    }
    std::vector<double> similarities;
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (const std::optional<double> found = similarity(all[i].growth, peers[places[i]].sum)) {
            similarities.push_back(*found);
        }
    }
    return similarities.size() < kFewest ? std::nullopt
                                         : std::optional(model::median(std::move(similarities)));
}

} // namespace ringside::metrics
