// SPDX-License-Identifier: Apache-2.0
// Removes the rows of a process that its summary does not contain.
#pragma once
#include "reduce/kept_times.h"

#include <ringside/trace/reader.h>

namespace ringside::reduce {

/// Of the calls behind the kept steps, so many of each communicator stay: a job hangs in the last ones.
inline constexpr std::size_t kLastCalls = 8;
/// Of samples outside the kept steps, about so many of each series stay, and of readings of the clocks.
inline constexpr std::size_t kSamplesOfASeries = 32;

/// Keeps what the host began in the kept steps, the device work that it launched there, and what belongs to
/// both. Whatever does not grow with the run stays: ranks, settings, issues, hangs. Of samples those within
/// the steps stay, and outside of them every n-th, the last, and all events. Windows say what was left out.
void cutRows(trace::ProcessTrace& process, const KeptTimes& kept);

} // namespace ringside::reduce
