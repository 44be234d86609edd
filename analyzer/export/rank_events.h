// SPDX-License-Identifier: Apache-2.0
// One rank's timeline as trace events, for the exporters to timeline viewers. It omits NCCL's proxy steps and
// calls in flight at the end.
#pragma once
#include "export/event_stream.h"
#include "model/model.h"

namespace ringside::exporting {

/// Writes the elements of a `traceEvents` array, without its brackets. `clock` converts the rank's times to
/// times of the file. The rank is used as process id.
void writeRankEvents(const model::Model& model, std::size_t rank, const model::ClockMap& clock,
                     const Sink& sink);

} // namespace ringside::exporting
