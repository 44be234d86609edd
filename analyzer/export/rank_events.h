// SPDX-License-Identifier: Apache-2.0
// One rank's timeline as trace events, for the exporters to timeline viewers. It omits NCCL's proxy steps and
// calls in flight at the end.
#pragma once
#include "export/event_stream.h"
#include "model/model.h"

#include <optional>

namespace ringside::exporting {

/// Writes the elements of a `traceEvents` array, without its brackets. `clock` converts the rank's times to
/// times of the file. The rank is used as process id. If `time` (run time) is set, only what overlaps it is
/// written, with its whole time, and the samples within it.
void writeRankEvents(const model::Model& model, std::size_t rank, const model::ClockMap& clock,
                     const Sink& sink, const std::optional<model::Interval>& time = {});

} // namespace ringside::exporting
