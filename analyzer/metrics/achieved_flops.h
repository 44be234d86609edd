// SPDX-License-Identifier: Apache-2.0
// What the GPUs compute in the analyzed steps, where the shapes of operators were recorded, against the most
// that they can. Definitions and sources: docs/metrics.md.
#pragma once
#include "flops/gpu_peaks.h"
#include "flops/operator_work.h"
#include "metrics/metrics.h"

#include <optional>
#include <string>
#include <vector>

namespace ringside::metrics {

/// The operators of one kind and precision, over all ranks and analyzed steps.
struct FamilyFlops {
    flops::Family family = flops::Family::MatrixProduct;
    flops::Precision precision = flops::Precision::Fp32;
    std::int64_t operators = 0;
    double flops = 0;
    double recomputedFlops = 0; ///< the part that activation checkpointing computed again
    double bytes = 0;           ///< least that they read and write
    std::int64_t deviceNs = 0;  ///< at least one of their kernels ran, summed over ranks
    std::optional<double> peak; ///< FLOP/s of a GPU; null if its peak is not known

    [[nodiscard]] double flopsPerSecond() const; ///< 0 without device time
    [[nodiscard]] double flopsPerByte() const;   ///< 0 without bytes
    /// Whether they would have computed more than the GPU can: then the shapes or types contradict the
    /// kernels' times.
    [[nodiscard]] bool isImpossible() const;
};

/// Operators whose shapes or kernels are not known count nothing, so that shares of the peak are lower
/// bounds.
struct AchievedFlops {
    std::string gpu;                        ///< name of all GPUs; empty if they differ or it is not known
    const flops::GpuPeaks* peaks = nullptr; ///< of that GPU; null if the table does not list it
    std::vector<FamilyFlops> families;      ///< most FLOPs first
    std::size_t ranks = 0;                  ///< that recorded shapes; the others are left out of all figures
    std::int64_t stepsNs = 0;               ///< analyzed steps, summed over these ranks
    std::int64_t rankSteps = 0;             ///< analyzed steps, counted over these ranks
    /// Device time of these operators and of all compute in the analyzed steps, unions summed over ranks.
    std::int64_t knownNs = 0, computeNs = 0;

    /// Returns the sum of one figure over the families.
    [[nodiscard]] double total(double FamilyFlops::*figure) const;
    /// Returns the least share of the peak over the whole step, all operators counted; null if a peak is not
    /// known or a family is impossible.
    [[nodiscard]] std::optional<double> hfu() const;
    /// The same without what was computed again.
    [[nodiscard]] std::optional<double> mfu() const;
    /// Returns the most FLOP/s that a family could reach, by compute and by memory; null if not known.
    [[nodiscard]] std::optional<double> roofOf(const FamilyFlops& family) const;
};

/// Returns the name of a rank's GPU; empty if it was not recorded. The text belongs to the process.
[[nodiscard]] std::string_view gpuOf(const trace::ProcessTrace& process, const model::Rank& rank);

/// Returns null if no operator of the analyzed steps has known FLOPs.
[[nodiscard]] std::optional<AchievedFlops> achievedFlopsOf(const model::Model& model, const RunMetrics& run);

} // namespace ringside::metrics
