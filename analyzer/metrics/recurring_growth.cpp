// SPDX-License-Identifier: Apache-2.0
#include "metrics/recurring_growth.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string_view>

namespace ringside::metrics {
namespace {

constexpr std::size_t kMoreThanUsual = std::numeric_limits<std::size_t>::max();

using Position =
    std::pair<std::string_view, std::size_t>; ///< name; number of its launches before in the step
using Growth = std::map<Position, double>;    ///< ns above the usual time, negative below it
using Durations =
    std::map<std::string_view, std::vector<double>>; ///< of a step's kernels by name, as launched

/// Returns the durations of the compute kernels of these steps of one rank, ordered by start.
std::vector<Durations> durationsOf(const model::Model& model, const RankMetrics& figures,
                                   std::span<const std::size_t> steps)
{
    const model::Rank& rank = model.ranks[figures.rank];
    const trace::ProcessTrace& process = model.processOf(rank);
    const trace::KernelColumns& kernels = process.kernels;
    const auto windowOf = [&](std::size_t step) { return figures.windows[step]; };
    std::vector<std::vector<std::size_t>> rows(steps.size());
    for (std::size_t row = 0; row < kernels.size(); ++row) {
        if (!rank.owns(kernels.device[row]) ||
            model.classes[rank.process].of(kernels.name[row]) != model::KernelClass::Compute) {
            continue;
        }
        if (const auto step = values::indexAt(steps, kernels.startNs[row], windowOf)) {
            rows[*step].push_back(row);
        }
    }
    std::vector<Durations> found(steps.size());
    for (std::size_t i = 0; i < steps.size(); ++i) {
        std::ranges::stable_sort(rows[i], {}, [&](std::size_t row) { return kernels.startNs[row]; });
        for (const std::size_t row : rows[i]) {
            found[i][process.text(kernels.name[row])].push_back(static_cast<double>(kernels.endNs[row]) -
                                                                static_cast<double>(kernels.startNs[row]));
        }
    }
    return found;
}

std::map<std::string_view, std::size_t> usualCounts(const std::vector<Durations>& steps)
{
    std::map<std::string_view, std::vector<std::int64_t>> counts;
    for (const Durations& step : steps) {
        for (const auto& [name, durations] : step) {
            counts[name].push_back(static_cast<std::int64_t>(durations.size()));
        }
    }
    std::map<std::string_view, std::size_t> usual;
    for (auto& [name, all] : counts) {
        all.resize(steps.size()); // steps without this kernel
        usual[name] = static_cast<std::size_t>(model::median(std::move(all)));
    }
    return usual;
}

/// Returns the durations of a step by position, ns.
Growth positionsOf(const Durations& step, const std::map<std::string_view, std::size_t>& usual)
{
    Growth positions;
    for (const auto& [name, durations] : step) {
        for (std::size_t i = 0; i < durations.size(); ++i) {
            positions[{name, i < usual.at(name) ? i : kMoreThanUsual}] += durations[i];
        }
    }
    return positions;
}

std::vector<Growth> growthsOf(const std::vector<Durations>& steps)
{
    const auto usual = usualCounts(steps);
    std::vector<Growth> growths;
    std::map<Position, std::vector<double>> all;
    for (const Durations& step : steps) {
        for (const auto& [position, ns] : growths.emplace_back(positionsOf(step, usual))) {
            all[position].push_back(ns);
        }
    }
    for (auto& [position, values] : all) {
        values.resize(steps.size());
        const double median = model::median(std::move(values));
        for (Growth& growth : growths) {
            growth[position] -= median;
        }
    }
    return growths;
}

/// Returns at most 64 of `count` steps, ascending and evenly spread.
std::vector<std::size_t> chosenSteps(std::size_t count)
{
    constexpr std::size_t kMost = 64;
    std::vector<std::size_t> steps;
    for (std::size_t i = 0; i < std::min(count, kMost); ++i) {
        steps.push_back(i * count / std::min(count, kMost));
    }
    return steps;
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
        std::vector<Growth> growths = growthsOf(durationsOf(model, run.ranks[rank], steps));
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
