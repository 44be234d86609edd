// SPDX-License-Identifier: Apache-2.0
// Reports what one rank does, or did at its end: its calls, its step, its stack and its last sign of life.
#pragma once
#include "hang/hang.h"

namespace ringside::hang {

/// Returns the latest time at which the process is known to have lived, on its host's clock: the drain thread
/// reads the clocks several times a second.
[[nodiscard]] std::int64_t lastSignOfLife(const trace::ProcessTrace& process);

/// Returns the time until which its waiting counts, on its host's clock: now, or its last sign of life.
[[nodiscard]] std::int64_t countsUntil(const trace::ProcessTrace& process, const ProcessNow& now);

/// Returns the last hang that the process's watchdog noticed. Returns null if that hang ended, or if the
/// process ended normally.
[[nodiscard]] std::optional<trace::HangRow> openHang(const trace::ProcessTrace& process);

/// Returns whether the process aborted a communicator, as programs do that give up a collective. PyTorch also
/// does so when it shuts down.
[[nodiscard]] bool abortedCommunicator(const trace::ProcessTrace& process);

/// Returns the state of a process as far as its trace tells: it closed the trace, it was seen to have ended,
/// or the state is unknown.
[[nodiscard]] Life lifeInTrace(const trace::ProcessTrace& process);

/// `rank` is an index into Model::ranks, and `now` belongs to the rank's process.
[[nodiscard]] RankReport reportRank(const model::Model& model, std::size_t rank, const ProcessNow& now);

} // namespace ringside::hang
