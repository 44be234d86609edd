// SPDX-License-Identifier: Apache-2.0
// Measures the stages of a pipeline: how long each computes, how many micro-batches pass, and the bubble, the
// share of a step spent on filling, draining and waiting for neighbours.
#pragma once
#include "metrics/metrics.h"

namespace ringside::metrics {

struct PipelineStage {
    std::int64_t stage = 0;         ///< counted from 1
    std::vector<std::size_t> ranks; ///< indices into Model::ranks; only ranks with metrics
    std::int64_t computeNs = 0;     ///< median over its ranks of their median compute time per step
    std::size_t longestOfSteps = 0; ///< number of steps in which this stage computed longest
};

struct PipelineFigures {
    std::vector<PipelineStage> stages; ///< in order; empty without a pipeline, or if a stage is not measured
    /// Messages of a step from one stage to the next: the number of micro-batches times `chunks`. 0 if it is
    /// not known.
    std::int64_t passes = 0;
    /// Chunks of layers on each stage in an interleaved schedule, otherwise 1. Seen by the messages from the
    /// last stage to the first one, so not in a pipeline of two stages.
    std::int64_t chunks = 1;
    /// Weight gradients are computed apart, as zero-bubble schedules do: the last stage computes for longer
    /// after its last message than the first one. Not seen with two stages, where both compute equally long.
    bool zeroBubble = false;
    std::size_t steps = 0;
    double bubble = 0; ///< share of a step spent only waiting for other stages, mean of the ranks

    [[nodiscard]] std::int64_t microBatches() const { return passes / chunks; }
    /// Returns the bubble of a pipeline whose stages are equal and always busy between their first and their
    /// last micro-batch: (p - 1) / (m + p - 1) for p stages and m passes (Narayanan et al. 2021, for
    /// interleaved schedules, too), and (p - 1) / (3m + p - 1) for ZB-H1 with equal forward, backward and
    /// weight passes (Qi et al. 2023). 0 if `passes` is not known.
    [[nodiscard]] double idealBubble() const
    {
        constexpr double kPartsOfAPass = 3;
        const double fill = static_cast<double>(stages.size()) - 1;
        const double busy = static_cast<double>(passes) * (zeroBubble ? kPartsOfAPass : 1);
        return passes > 0 ? fill / (busy + fill) : 0.0;
    }
};

/// Measures the pipeline of a run. `stages` is empty if there is none or a stage has no metrics.
[[nodiscard]] PipelineFigures pipelineOf(const model::Model& model, const RunMetrics& run);

} // namespace ringside::metrics
