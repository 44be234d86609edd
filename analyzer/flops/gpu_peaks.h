// SPDX-License-Identifier: Apache-2.0
// The most that a GPU can compute and read, from the table gpu_peaks.def.
#pragma once
#include "flops/precision.h"

#include <optional>
#include <span>

namespace ringside::flops {

struct GpuPeaks {
    std::string_view name;                     ///< part of the name that CUDA gives
    std::array<double, kPrecisions> teraflops; ///< dense; 0: the GPU has no units for it
    double gigabytesPerSecond = 0;

    /// Returns FLOP/s; null where the GPU has no units for it.
    [[nodiscard]] std::optional<double> flopsPerSecond(Precision precision) const;
};

[[nodiscard]] std::span<const GpuPeaks> allGpus();
/// Returns the peaks of a GPU by its name, such as "NVIDIA H100 80GB HBM3"; null if the table does not list
/// it.
[[nodiscard]] const GpuPeaks* peaksOf(std::string_view gpu);

} // namespace ringside::flops
