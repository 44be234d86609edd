// SPDX-License-Identifier: Apache-2.0
// How much longer the longest rank of each step computes than the mean of all, and how much of that is always
// the same rank's.
#pragma once
#include "metrics/recurring_growth.h"

#include <cstdint>
#include <map>
#include <vector>

namespace ringside::metrics {

struct ChangingCompute {
    double excessNs = 0;  ///< of a step: longest above mean
    double meanNs = 0;    ///< of a step and rank
    double lastingNs = 0; ///< part of the excess that would be there if each rank took its own mean
    LongCompute worst;    ///< the longest above the mean of its step
    std::vector<LongCompute>
        longer; ///< that half of the steps with the greatest excess, and their longest ranks
    std::map<std::int64_t, std::size_t>
        longestIn; ///< steps, by rank number, or by replica where ranks have one

    [[nodiscard]] double changingNs() const { return excessNs - lastingNs; }
    [[nodiscard]] double changingShare() const { return meanNs > 0 ? changingNs() / meanNs : 0.0; }
};

/// Needs at least two ranks with the same number of steps (see hasSameSteps).
[[nodiscard]] ChangingCompute changingComputeOf(const model::Model& model, const RunMetrics& run);

/// Whether every rank with device data has the same number of analyzed steps.
[[nodiscard]] bool hasSameSteps(const RunMetrics& run);

/// Ranks of one replica work on the same batch. Null where no replicas are known.
[[nodiscard]] std::optional<std::int64_t> replicaOf(const model::Model& model, const RankMetrics& rank);

} // namespace ringside::metrics
