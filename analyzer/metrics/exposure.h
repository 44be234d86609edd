// SPDX-License-Identifier: Apache-2.0
// To which collective exposed communication belongs, where in the step's compute that one starts, and how
// much of it nothing could hide because the host stood in a blocking call.
#pragma once
#include "metrics/device_work.h"

#include <span>
#include <vector>

namespace ringside::metrics {

/// What one operation is to one rank in an analyzed step.
struct OperationExposure {
    std::size_t operation = 0;  ///< of Model::operations
    std::size_t step = 0;       ///< of the rank's analyzed steps
    Interval device;            ///< on the rank's clock
    std::int64_t exposedNs = 0; ///< not hidden by compute; what two operations share counts for the earlier
    std::int64_t exposedWaitNs = 0;   ///< of it, before the last rank came
    std::int64_t computeBeforeNs = 0; ///< of the step, when it starts
    [[nodiscard]] std::int64_t exposedTransferNs() const { return exposedNs - exposedWaitNs; }
};

/// By start; those that begin in a window, before it is known what is exposed of them. `windows` ascend and
/// do not overlap.
[[nodiscard]] std::vector<OperationExposure> operationsIn(const model::Model& model, std::size_t rank,
                                                          std::span<const Interval> windows);

/// What has to be swept to know it: two spans an operation, so that all ascend; from the end of the one
/// before, and its own.
[[nodiscard]] std::vector<Interval> spansOf(std::span<const OperationExposure> operations,
                                            std::span<const Interval> windows);

/// Fills in what `swept`, the spans' coverages, say.
void addExposures(std::span<OperationExposure> operations, std::span<const Coverage> swept);

/// Exposed communication within each span. `spans` ascend and do not overlap.
[[nodiscard]] std::vector<std::int64_t> exposedIn(const Lanes& lanes, std::span<const Interval> spans);

} // namespace ringside::metrics
