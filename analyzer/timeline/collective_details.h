// SPDX-License-Identifier: Apache-2.0
// One collective as a thing of its own: what was exchanged, how NCCL did it, how fast, who came when.
#pragma once
#include "document/table.h"
#include "report/report.h"
#include "timeline/timeline.h"

#include <optional>

namespace ringside::timeline {

/// Returns what is known of a collective (an index into Timeline::collectives). What was not recorded is
/// named as such.
[[nodiscard]] Description collectiveDetails(const report::Report& report, const Timeline& timeline,
                                            std::size_t collective);
/// Returns a line for each rank, in the order of arrival: when it came after the first one, how long it
/// waited for the last one, how long its part took.
[[nodiscard]] document::Table arrivalTable(const model::Model& model, const Timeline& timeline,
                                           std::size_t collective);
/// Returns the collective of the same communicator that came next, or before.
[[nodiscard]] std::optional<std::size_t> neighbourInCommunicator(const model::Model& model,
                                                                 const Timeline& timeline,
                                                                 std::size_t collective, Direction direction);
/// Returns the collectives (indices into Timeline::collectives, by time) that a row of
/// RunMetrics::collectives stands for.
[[nodiscard]] std::vector<std::size_t> collectivesOf(const model::Model& model, const Timeline& timeline,
                                                     const metrics::CollectiveGroup& group);

} // namespace ringside::timeline
