// SPDX-License-Identifier: Apache-2.0
// What a pipeline's stages do: how long each computes, how many micro-batches pass, and how much of a step
// is fill, drain and waiting for neighbours.
#pragma once
#include "metrics/metrics.h"

namespace ringside::metrics {

struct PipelineStage {
    std::int64_t stage = 0;         ///< from 1
    std::vector<std::size_t> ranks; ///< of Model::ranks, with figures
    std::int64_t computeNs = 0;     ///< of a step: of its ranks the median one's median
    std::size_t longestOfSteps = 0; ///< steps in which no stage computed longer
};

struct PipelineFigures {
    std::vector<PipelineStage> stages; ///< in order; empty: no pipeline, or not measured on every stage
    /// Messages of a step from one stage to the next: micro-batches, times the chunks of an interleaved
    /// schedule. 0: not known.
    std::int64_t passes = 0;
    std::size_t steps = 0;
    double bubble = 0; ///< share of a step with nothing but waiting for other stages, mean of the ranks

    /// Of a pipeline of equal stages that keeps each busy from its first to its last micro-batch.
    [[nodiscard]] double idealBubble() const
    {
        const double fill = static_cast<double>(stages.size()) - 1;
        return passes > 0 ? fill / (static_cast<double>(passes) + fill) : 0.0;
    }
};

[[nodiscard]] PipelineFigures pipelineOf(const model::Model& model, const RunMetrics& run);

} // namespace ringside::metrics
