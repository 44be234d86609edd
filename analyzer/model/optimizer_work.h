// SPDX-License-Identifier: Apache-2.0
// When a process launched its optimizer: by the names of kernels, where the device tier saw them, and by the
// profiler's ranges. Whatever a step is made of, the weights change once in it.
#pragma once
#include <ringside/trace/reader.h>

#include <cstdint>
#include <string_view>
#include <vector>

namespace ringside::model {

/// What names of the optimizer's ranges begin with, in lower case, as torch.profiler writes them.
inline constexpr std::string_view kOptimizerRange = "optimizer.step";

/// Begins of launches and ranges, ascending. Empty: none was seen.
[[nodiscard]] std::vector<std::int64_t> optimizerTimes(const trace::ProcessTrace& process);

} // namespace ringside::model
