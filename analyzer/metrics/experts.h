// SPDX-License-Identifier: Apache-2.0
// Measures how evenly the experts of a mixture-of-experts model are loaded. Tokens travel to their experts
// and back by all-to-all, so every other stretch of compute between all-to-alls is expert work.
#pragma once
#include "metrics/metrics.h"

namespace ringside::metrics {

struct ExpertFigures {
    /// Indices into Model::ranks: the group that loses most time. Empty if no experts were found.
    std::vector<std::size_t> ranks;
    double excess = 0;       ///< expert work: how far the longest rank is above the mean, as a share of it
    double otherExcess = 0;  ///< the same for the other work
    std::int64_t costNs = 0; ///< per step: time of the longest rank above the mean, summed over expert work
    std::size_t fullest = 0; ///< index into Model::ranks of the rank that is longest in most steps
    std::size_t fullestOfSteps = 0; ///< number of steps in which it is longest
    std::size_t steps = 0;

    /// Whether the experts are unequal. A rank that is slow in all its work does not count.
    [[nodiscard]] bool areUneven(double leastExcess) const
    {
        return excess > leastExcess && excess >= 2 * otherExcess;
    }
};

inline constexpr double kUnevenExperts = 0.10; ///< default threshold of rule expert_imbalance

/// Compares the expert work of the ranks of each communicator, and returns the group that loses most time.
[[nodiscard]] ExpertFigures expertsOf(const model::Model& model, const RunMetrics& run);

} // namespace ringside::metrics
