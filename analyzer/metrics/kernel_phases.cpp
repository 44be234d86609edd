// SPDX-License-Identifier: Apache-2.0
#include "metrics/kernel_phases.h"

#include "values/quantile.h"

#include <algorithm>

namespace ringside::metrics {
namespace {

/// In a step, by any channel. Null: none of its kernels told of phases.
std::optional<std::int64_t> initialWait(const model::Model& run, const RankMetrics& rank)
{
    const model::Rank& owner = run.ranks[rank.rank];
    const trace::KernelPhaseColumns& phases = run.processOf(owner).kernelPhases;
    std::vector<Interval> waits;
    for (std::size_t i = 0; i < phases.size(); ++i) {
        if (phases.phase[i] == trace::kWaitsForAll && owner.owns(phases.device[i])) {
            waits.push_back({phases.startNs[i], phases.endNs[i]});
        }
    }
    if (waits.empty()) {
        return std::nullopt;
    }
    const std::vector<Interval> united = values::unite(std::move(waits));
    std::int64_t sum = 0;
    for (const Interval& window : rank.windows) {
        sum = values::addCapped(sum, values::coveredWithin(united, window));
    }
    return rank.ofAStep(sum);
}

} // namespace

std::optional<std::int64_t> initialWaitShortfall(const model::Model& run, const RunMetrics& figures,
                                                 const std::vector<std::size_t>& ranks)
{
    std::vector<std::int64_t> own;
    std::vector<std::int64_t> others;
    for (const RankMetrics& rank : figures.ranks) {
        const bool isOne = std::ranges::binary_search(ranks, rank.rank);
        if (const auto wait = initialWait(run, rank)) {
            (isOne ? own : others).push_back(*wait);
        }
    }
    return own.empty() || others.empty()
               ? std::nullopt
               : std::optional(model::median(std::move(others)) - model::median(std::move(own)));
}

} // namespace ringside::metrics
