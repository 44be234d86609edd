// SPDX-License-Identifier: Apache-2.0
// Tells batches of different size from disturbances, where compute takes longer on changing ranks. A larger
// batch, or micro-batch, lengthens all kernels that work on it. A disturbance hits the kernels that happen to
// run.
#pragma once
#include "metrics/changing_compute.h"

#include <optional>

namespace ringside::metrics {

/// How the growth of compute is shared. Growth is the time above the usual one, or below it. Each figure is 1
/// if all of the (squared) growth is shared, and about 0 if each rank or kernel grows by itself.
struct BatchGrowth {
    /// Shared by the ranks of a replica, which work on the same batch: the intraclass correlation of their
    /// relative growth above the mean of all ranks in that step. Null without several replicas of several
    /// ranks.
    std::optional<double> ofReplicas;
    /// Shared by the long steps of a rank and its peers, kernel by kernel (recurring_growth.h).
    std::optional<double> sameKernels;
    /// Shared by kernels that run one after the other, as those of a micro-batch do. Null if there are none.
    std::optional<double> neighbours;

    /// Whether the growth is that of batches. Null if nothing could be compared. What several ranks show
    /// decides alone, because one rank's kernels also grow together on a slow clock.
    [[nodiscard]] std::optional<bool> isOfBatches() const;
    /// Whether kernels that work on one micro-batch grow together. Null if none could be compared.
    [[nodiscard]] std::optional<bool> isOfMicroBatches() const;
};

/// Half of the squared growth.
inline constexpr double kSharedGrowth = 0.5;

[[nodiscard]] BatchGrowth batchGrowthOf(const model::Model& model, const RunMetrics& run,
                                        const ChangingCompute& changing);

/// How long the stages of a pipeline wait for the longest micro-batch of a step.
struct LongestPass {
    double waitNs = 0; ///< mean over the steps of what equal micro-batches would save
    double times = 0;  ///< mean over the steps of: longest pass over the mean one
};

/// Estimates the waiting from the lengths of the passes: m micro-batches that take t(1) to t(m) on each of p
/// equal stages need sum t + (p - 1) max t, a proportionate flow shop (Pinedo, "Scheduling"). Of each step
/// counts the replica that takes longest. Zero without a pipeline of several micro-batches.
[[nodiscard]] LongestPass longestPassOf(const model::Model& model, const RunMetrics& run);

} // namespace ringside::metrics
