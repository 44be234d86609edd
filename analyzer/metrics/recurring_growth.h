// SPDX-License-Identifier: Apache-2.0
// Whether the same kernels take longer each time a rank computes long. A larger batch makes the same ones
// longer, or launches more of them; what disturbs a device or its host meets other kernels each time.
#pragma once
#include "metrics/metrics.h"

#include <optional>
#include <span>

namespace ringside::metrics {

/// From this cosine on, what the long steps have in common explains half of their squared growth (0.7 x 0.7).
inline constexpr double kSameKernels = 0.7;

/// A step in which a rank computed long.
struct LongCompute {
    std::size_t rank = 0; ///< of RunMetrics::ranks
    std::size_t step = 0; ///< of RankMetrics::windows
};

/// How alike the growth of these is: for each, the cosine between what its kernels took above their usual
/// time and the sum of that over the others of the same ranks and their peers; the median of these. 1: always
/// the same kernels, in the same proportion; near 0: other kernels each time. Kernels are told apart by name
/// and by how many of that name the step launched before; launches that are more than usual count as one
/// kernel of that name. The usual time is the rank's median over up to 64 of its steps. Null where fewer than
/// three can be compared.
[[nodiscard]] std::optional<double> recurringGrowth(const model::Model& model, const RunMetrics& run,
                                                    std::span<const LongCompute> longest);

} // namespace ringside::metrics
