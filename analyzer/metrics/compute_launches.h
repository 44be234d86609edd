// SPDX-License-Identifier: Apache-2.0
// The compute kernels of a rank in some of its steps, in the order in which they ran.
#pragma once
#include "metrics/metrics.h"

#include <map>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace ringside::metrics {

/// Which kernel of a step: its name, and how many of that name the step ran before.
using LaunchPosition = std::pair<std::string_view, std::size_t>;

struct ComputeLaunch {
    LaunchPosition position;
    double ns = 0;
};
using StepLaunches = std::vector<ComputeLaunch>;

/// Returns at most 64 of `count` steps, ascending and evenly spread.
[[nodiscard]] std::vector<std::size_t> chosenSteps(std::size_t count);

/// Returns the compute kernels that begin in these steps (indices into RankMetrics::windows, ascending).
[[nodiscard]] std::vector<StepLaunches> computeLaunchesOf(const model::Model& model, const RankMetrics& rank,
                                                          std::span<const std::size_t> steps);

/// Returns the usual time of each kernel: the median over the steps, in ns. A step without it counts as 0.
[[nodiscard]] std::map<LaunchPosition, double> usualTimes(const std::vector<StepLaunches>& steps);

} // namespace ringside::metrics
