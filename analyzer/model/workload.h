// SPDX-License-Identifier: Apache-2.0
// Decides from the names of kernels and ranges whether a run trains a model or serves one. Serving has no
// gradients, so that advice about them would be of no use there.
#pragma once
#include <ringside/trace/reader.h>

#include <cstdint>
#include <string_view>

namespace ringside::model {

enum class Workload : std::uint8_t { Unknown, Training, Inference };
/// Returns "training" or "inference", or an empty string if it is not known.
[[nodiscard]] std::string_view workloadName(Workload workload);

/// Returns Training if any process shows a backward pass or an optimizer. Otherwise returns Inference if
/// there are names of an inference server, or if PyTorch's operators were recorded and none of them belongs
/// to autograd.
[[nodiscard]] Workload workloadOf(const trace::RunTrace& run);

} // namespace ringside::model
