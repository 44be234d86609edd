// SPDX-License-Identifier: Apache-2.0
// Whether a run trains a model or serves one: by the names of its kernels and ranges. Who serves has no
// gradients, and advice about them would be of no use to him.
#pragma once
#include <ringside/trace/reader.h>

#include <cstdint>
#include <string_view>

namespace ringside::model {

enum class Workload : std::uint8_t { Unknown, Training, Inference };
[[nodiscard]] std::string_view workloadName(Workload workload); ///< "inference"; empty: unknown

/// Training wherever any process shows a backward pass or an optimizer; inference where none does and names
/// are those of a server of models, or where PyTorch's operators were recorded and none of them is of
/// autograd.
[[nodiscard]] Workload workloadOf(const trace::RunTrace& run);

} // namespace ringside::model
