// SPDX-License-Identifier: Apache-2.0
// How evenly experts are filled. Tokens travel by all-to-all to their experts and back, so that of the work
// between all-to-alls every other part is the experts'.
#pragma once
#include "metrics/metrics.h"

namespace ringside::metrics {

struct ExpertFigures {
    std::vector<std::size_t>
        ranks;               ///< of Model::ranks: the group in which most is lost; empty: no experts seen
    double excess = 0;       ///< longest above the mean of the group, of the mean; of the experts' work
    double otherExcess = 0;  ///< the same of the work between
    std::int64_t costNs = 0; ///< of a step: the longest above the mean, summed
    std::size_t fullest = 0; ///< of Model::ranks: who is longest in most steps
    std::size_t fullestOfSteps = 0;
    std::size_t steps = 0;

    /// Unequal experts, not a rank that is slow in whatever it does.
    [[nodiscard]] bool areUneven(double leastExcess) const
    {
        return excess > leastExcess && excess >= 2 * otherExcess;
    }
};

inline constexpr double kUnevenExperts = 0.10; ///< default of expert_imbalance

[[nodiscard]] ExpertFigures expertsOf(const model::Model& model, const RunMetrics& run);

} // namespace ringside::metrics
