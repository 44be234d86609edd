// SPDX-License-Identifier: Apache-2.0
// Finds when a process launched its optimizer, by the names of kernels (if device work was recorded) and by
// ranges of profilers. Every training step updates the weights once, so that these times show where steps
// lie.
#pragma once
#include <ringside/trace/reader.h>

#include <cstdint>
#include <string_view>
#include <vector>

namespace ringside::model {

/// Returns whether a range is the optimizer's, by the names that torch.profiler ("Optimizer.step#Adam.step")
/// and DeepSpeed ("DeepSpeedZeroOptimizer_Stage3.step") use.
[[nodiscard]] bool isOptimizerRange(std::string_view name);

/// Returns the begins (host ns) of the optimizer's launches and ranges in ascending order; empty if there are
/// none.
[[nodiscard]] std::vector<std::int64_t> optimizerTimes(const trace::ProcessTrace& process);

} // namespace ringside::model
