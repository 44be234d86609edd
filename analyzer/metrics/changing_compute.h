// SPDX-License-Identifier: Apache-2.0
// Computes how much longer the longest rank of each step computes than the mean of all ranks, and how much of
// that is always due to the same rank.
#pragma once
#include "metrics/recurring_growth.h"

#include <cstdint>
#include <map>
#include <vector>

namespace ringside::metrics {

struct ChangingCompute {
    double excessNs = 0;  ///< mean over the steps of: longest compute minus mean compute
    double meanNs = 0;    ///< mean compute of a step and rank
    double lastingNs = 0; ///< the part of the excess that the same rank causes in all steps
    LongCompute worst;    ///< the step with the greatest excess, and its longest rank
    /// The quarter of all pairs of rank and step whose compute is furthest above the rank's median.
    std::vector<LongCompute> longer;
    std::size_t costlySteps = 0; ///< the fewest steps that hold nine tenths of the excess
    /// In how many of these a rank computed longest, by rank number, or by replica if replicas are known.
    std::map<std::int64_t, std::size_t> longestIn;

    [[nodiscard]] double changingNs() const { return excessNs - lastingNs; }
    [[nodiscard]] double changingShare() const { return meanNs > 0 ? changingNs() / meanNs : 0.0; }
};

/// Compares the ranks of a run. Requires at least two ranks with the same number of steps (hasSameSteps).
[[nodiscard]] ChangingCompute changingComputeOf(const model::Model& model, const RunMetrics& run);

/// The same of the time in which the device of a rank is idle: what is said of compute above is of idle time.
[[nodiscard]] ChangingCompute changingIdleOf(const model::Model& model, const RunMetrics& run);

/// Whether every rank with device data has the same number of analyzed steps.
[[nodiscard]] bool hasSameSteps(const RunMetrics& run);

/// Returns the replica of a rank; ranks of one replica work on the same batch. Null if replicas are not
/// known.
[[nodiscard]] std::optional<std::int64_t> replicaOf(const model::Model& model, const RankMetrics& rank);

} // namespace ringside::metrics
