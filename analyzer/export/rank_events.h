// SPDX-License-Identifier: Apache-2.0
// One rank's timeline as trace events: what the exporters to timeline viewers share. Left out are NCCL's
// proxy steps, and what threads were inside at the end.
#pragma once
#include "export/event_stream.h"
#include "model/model.h"

namespace ringside::exporting {

/// Writes the elements of a `traceEvents` array, without its brackets. `clock` turns the rank's times into
/// those of the file. The process id is the rank.
void writeRankEvents(const model::Model& model, std::size_t rank, const model::ClockMap& clock,
                     const Sink& sink);

} // namespace ringside::exporting
