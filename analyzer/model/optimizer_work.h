// SPDX-License-Identifier: Apache-2.0
// When a process launched its optimizer: by the names of kernels, where the device tier saw them, and by the
// profiler's ranges. Whatever a step is made of, the weights change once in it.
#pragma once
#include <ringside/trace/reader.h>

#include <cstdint>
#include <string_view>
#include <vector>

namespace ringside::model {

/// Whether a range is the optimizer's, as torch.profiler ("Optimizer.step#Adam.step") and DeepSpeed
/// ("DeepSpeedZeroOptimizer_Stage3.step") name them.
[[nodiscard]] bool isOptimizerRange(std::string_view name);

/// Begins of launches and ranges, ascending. Empty: none was seen.
[[nodiscard]] std::vector<std::int64_t> optimizerTimes(const trace::ProcessTrace& process);

} // namespace ringside::model
