// SPDX-License-Identifier: Apache-2.0
#include "live/shared_steps.h"

#include <algorithm>
#include <iterator>

namespace ringside::live {
namespace {

/// A process's rows hold one a device that was measured. Those of other devices belong to other ranks.
bool isOfRank(const Step& step, const Process& process, const Rank& rank)
{
    return !step.device || process.ranks.size() == 1 || step.device == rank.device;
}

RankSteps stepsOf(const Snapshot& host, const Process& process, const Rank& rank)
{
    RankSteps result{&host, &process, rank, {}};
    for (const Step& step : process.recentSteps) {
        const bool repeats = !result.steps.empty() && result.steps.back()->id == step.id;
        if (isOfRank(step, process, rank) && !repeats) {
            result.steps.push_back(&step);
        }
    }
    std::stable_sort(result.steps.begin(), result.steps.end(),
                     [](const Step* a, const Step* b) { return sharedNumber(*a) < sharedNumber(*b); });
    return result;
}

const Step* find(const RankSteps& rank, std::int64_t number)
{
    const auto step =
        std::lower_bound(rank.steps.begin(), rank.steps.end(), number,
                         [](const Step* each, std::int64_t wanted) { return sharedNumber(*each) < wanted; });
    return step != rank.steps.end() && sharedNumber(**step) == number && (*step)->isMarked ? *step : nullptr;
}

} // namespace

std::map<std::int64_t, RankSteps> stepsOfRanks(const RunNow& run)
{
    std::map<std::int64_t, RankSteps> ranks;
    for (const Snapshot& host : run.hosts) {
        for (const Process& process : host.processes) {
            for (const Rank& rank : process.ranks) {
                const auto known = ranks.find(rank.rank);
                if (known == ranks.end() || known->second.process->atMs < process.atMs) {
                    ranks.insert_or_assign(rank.rank, stepsOf(host, process, rank));
                }
            }
        }
    }
    return ranks;
}

std::vector<std::vector<const Step*>> sharedSteps(const std::map<std::int64_t, RankSteps>& ranks,
                                                  std::size_t most)
{
    std::vector<std::vector<const Step*>> shared;
    if (ranks.empty()) {
        return shared;
    }
    const std::vector<const Step*>& first = ranks.begin()->second.steps;
    for (auto step = first.rbegin(); step != first.rend() && shared.size() < most; ++step) {
        std::vector<const Step*> row;
        for (const auto& [number, rank] : ranks) {
            if (const Step* const same = find(rank, sharedNumber(**step))) {
                row.push_back(same);
            }
        }
        if (row.size() == ranks.size()) {
            shared.push_back(std::move(row));
        }
    }
    std::reverse(shared.begin(), shared.end());
    return shared;
}

} // namespace ringside::live
