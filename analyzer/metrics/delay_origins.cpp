// SPDX-License-Identifier: Apache-2.0
#include "metrics/delay_origins.h"

#include "metrics/critical_path.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace ringside::metrics {
namespace {

/// Indices into RunMetrics::ranks.
using PeerPlaces = std::vector<std::size_t>;

PeerPlaces peersOf(const model::Model& model, const RunMetrics& run, std::size_t place)
{
    PeerPlaces peers;
    for (std::size_t other = 0; other < run.ranks.size(); ++other) {
        if (model.layout.arePeers(run.ranks[place].rank, run.ranks[other].rank)) {
            peers.push_back(other);
        }
    }
    return peers;
}

std::int64_t otherTime(const Breakdown& step)
{
    return model::addCapped(step.exposedCopyNs, step.idleNs);
}

/// Returns the part of the rank's time on the path that it would not have spent at its peers' pace, ns.
template <typename Figure>
std::int64_t beyondPeers(const RunMetrics& run, std::size_t place, const PeerPlaces& peers, std::size_t step,
                         std::int64_t onPathNs, const Figure& figure)
{
    std::vector<std::int64_t> times;
    for (const std::size_t peer : peers) {
        if (step < run.ranks[peer].steps.size()) {
            times.push_back(figure(run.ranks[peer].steps[step]));
        }
    }
    const std::int64_t own = figure(run.ranks[place].steps[step]);
    if (times.empty() || own <= 0) {
        return 0;
    }
    const double excess = 1 - static_cast<double>(model::median(std::move(times))) / static_cast<double>(own);
    return std::llround(static_cast<double>(onPathNs) * std::max(0.0, excess));
}

LateGroup originAt(const model::Model& model, const RunMetrics& run, std::size_t place,
                   const std::vector<PathPart>& path)
{
    const PeerPlaces peers = peersOf(model, run, place);
    LateGroup group;
    group.ranks = {run.ranks[place].rank};
    group.candidates = peers.size() + 1;
    for (std::size_t step = 0; step < path.size(); ++step) {
        const std::int64_t lost =
            model::addCapped(beyondPeers(run, place, peers, step, path[step].computeNs,
                                         [](const Breakdown& each) { return each.computeNs; }),
                             beyondPeers(run, place, peers, step, path[step].otherNs, otherTime));
        if (lost <= 0) {
            continue;
        }
        if (lost > group.largestNs) {
            group.largestNs = lost;
            group.worstWindow = run.ranks[place].windows[step];
        }
        group.lostNs[step] = lost;
        group.losses.push_back(lost);
        group.sumNs = model::addCapped(group.sumNs, lost);
    }
    return group;
}

} // namespace

bool hasSeveralGroups(const model::Model& model)
{
    if (!model.messages.empty()) {
        return true;
    }
    std::set<std::vector<std::size_t>> groups;
    for (const model::Operation& operation : model.operations) {
        std::vector<std::size_t> members;
        for (const model::Participant& part : operation.participants) {
            members.push_back(part.rank);
        }
        if (members.size() >= 2 && operation.complete()) {
            groups.insert(std::move(members));
        }
    }
    return groups.size() > 1;
}

std::vector<LateGroup> findOrigins(const model::Model& model, const RunMetrics& run)
{
    const auto path = criticalPath(model, run.ranks);
    std::vector<LateGroup> origins;
    for (std::size_t place = 0; place < path.size(); ++place) {
        origins.push_back(originAt(model, run, place, path[place]));
    }
    return origins;
}

} // namespace ringside::metrics
