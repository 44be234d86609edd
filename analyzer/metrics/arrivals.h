// SPDX-License-Identifier: Apache-2.0
// When each rank came to each collective, and who came late: the one definition of both (docs/metrics.md,
// "Late"). It is computed once for all operations; every other figure about waiting and lateness reads it.
#pragma once
#include "model/model.h"

#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

namespace ringside::metrics {

/// Some GPUs count time in steps of 1 us, so that arrivals which differ by no more are alike.
inline constexpr std::int64_t kLeastLateNs = 1'000;

/// The arrivals at one collective. Whose clock differs by how much decides from when lateness counts.
struct OperationArrivals : model::Arrivals {
    std::int64_t lateFromNs = kLeastLateNs; ///< what is not longer cannot be told from the clocks' error
    std::size_t lateRank = 0; ///< who came last by lateness of its own, as index into Model::ranks
    /// Lost time: its arrival minus the second last, both without what was carried. 0: nobody came late.
    std::int64_t lostNs = 0;
    /// The lateness that each participant brought along from the collective before: its kernel began directly
    /// after that of another one on the same stream, which had ended later for this rank than for the first
    /// of its ranks. In a ring, the last data of a slow rank reaches its neighbour late. Null: nobody did.
    std::shared_ptr<const std::vector<std::int64_t>> carriedNs;
};

/// By index into Model::operations. Null if the arrival of any rank is not known.
using AllArrivals = std::vector<std::optional<OperationArrivals>>;

/// A collective of the analyzed steps in which the arrivals of all ranks are known.
struct ArrivedOperation {
    std::size_t operation = 0; ///< index into Model::operations
    std::size_t step = 0;      ///< index into Model::analyzedSteps, or into TimedCalls::steps
    OperationArrivals times;
};

/// Finds the arrivals at every operation of the model.
[[nodiscard]] AllArrivals findArrivals(const model::Model& model);

using Arrival = std::pair<std::int64_t, std::size_t>; ///< time in run time; index into Model::ranks
/// Returns the arrivals without what was carried, in order.
[[nodiscard]] std::vector<Arrival> ownArrivals(const model::Model& model, const ArrivedOperation& entry);

/// Time of the last arrival on the rank's own clock, by row of the kernel columns.
using LastArrivals = std::unordered_map<std::uint32_t, std::int64_t>;
/// Returns the last arrivals at a rank's communication kernels: those of collectives, and of messages, whose
/// transfer begins when both ends have arrived. `operations` are the rank's (model::operationsOfKernels).
[[nodiscard]] LastArrivals lastArrivalsOf(const model::Model& model, std::size_t rank,
                                          const AllArrivals& arrivals,
                                          const std::unordered_map<std::uint32_t, std::size_t>& operations);

} // namespace ringside::metrics
