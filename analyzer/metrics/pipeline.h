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
    /// Messages of a step from one stage to the next: the number of micro-batches, times the number of chunks
    /// in an interleaved schedule. 0 if it is not known.
    std::int64_t passes = 0;
    std::size_t steps = 0;
    double bubble = 0; ///< share of a step spent only waiting for other stages, mean of the ranks

    /// Returns the bubble of a pipeline whose stages are equal and always busy between their first and their
    /// last micro-batch: (p - 1) / (m + p - 1) for p stages and m passes. 0 if `passes` is not known.
    [[nodiscard]] double idealBubble() const
    {
        const double fill = static_cast<double>(stages.size()) - 1;
        return passes > 0 ? fill / (static_cast<double>(passes) + fill) : 0.0;
    }
};

/// Measures the pipeline of a run. `stages` is empty if there is none or a stage has no metrics.
[[nodiscard]] PipelineFigures pipelineOf(const model::Model& model, const RunMetrics& run);

} // namespace ringside::metrics
