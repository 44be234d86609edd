// SPDX-License-Identifier: Apache-2.0
// Assigns exposed communication to the collectives that cause it, and computes how much compute of the step
// precedes each collective.
#pragma once
#include "metrics/device_work.h"

#include <span>
#include <vector>

namespace ringside::metrics {

/// One operation as one rank sees it in an analyzed step.
struct OperationExposure {
    std::size_t operation = 0; ///< index into Model::operations
    std::size_t step = 0;      ///< index into the rank's analyzed steps
    Interval device;           ///< on the rank's clock
    /// Time not hidden by compute. If two operations overlap, their common time counts for the earlier one.
    std::int64_t exposedNs = 0;
    std::int64_t exposedWaitNs = 0;   ///< the part of exposedNs before the last rank arrived
    std::int64_t computeBeforeNs = 0; ///< compute of the step before this operation starts
    [[nodiscard]] std::int64_t exposedTransferNs() const { return exposedNs - exposedWaitNs; }
};

/// Returns the operations of a rank that begin in a window, ordered by start. Exposed times are not filled in
/// yet (addExposures). `windows` must ascend and must not overlap.
[[nodiscard]] std::vector<OperationExposure> operationsIn(const model::Model& model, std::size_t rank,
                                                          std::span<const Interval> windows);

/// Returns the spans to sweep for the exposed times. Each operation has two, so that all ascend: the time
/// between the end of the previous operation and its start, and its own time.
[[nodiscard]] std::vector<Interval> spansOf(std::span<const OperationExposure> operations,
                                            std::span<const Interval> windows);

/// Fills in the exposed times from `swept`, the coverages of the spans that spansOf returned.
void addExposures(std::span<OperationExposure> operations, std::span<const Coverage> swept);

/// Returns the exposed communication within each span in ns. `spans` must ascend and must not overlap.
[[nodiscard]] std::vector<std::int64_t> exposedIn(const Lanes& lanes, std::span<const Interval> spans);

} // namespace ringside::metrics
