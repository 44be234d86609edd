// SPDX-License-Identifier: Apache-2.0
// Finds out whether the same kernels take longer each time a rank computes long. A larger batch lengthens the
// same kernels each time, or launches more of them. A disturbance of the device or its host hits different
// kernels each time.
#pragma once
#include "metrics/metrics.h"

#include <optional>
#include <span>

namespace ringside::metrics {

/// The cosine from which the common part of the long steps explains half of their squared growth (0.7 x 0.7).
inline constexpr double kSameKernels = 0.7;

/// A step in which a rank computed long.
struct LongCompute {
    std::size_t rank = 0; ///< index into RunMetrics::ranks
    std::size_t step = 0; ///< index into RankMetrics::windows
};

/// Returns how similar the growth of the `longest` steps is. The growth of a step is how much longer each of
/// its kernels took than usual. Its similarity is the cosine between its growth and the summed growth of the
/// other steps of the same rank and its peers. The result is the median of these: 1 means always the same
/// kernels in the same proportion, near 0 means different kernels each time.
///
/// A kernel is identified by its name and by how many of that name the step launched before. Launches beyond
/// the usual number count together as one kernel of that name. The usual time is the rank's median over up to
/// 64 of its steps. Null if fewer than three steps can be compared.
[[nodiscard]] std::optional<double> recurringGrowth(const model::Model& model, const RunMetrics& run,
                                                    std::span<const LongCompute> longest);

} // namespace ringside::metrics
