// SPDX-License-Identifier: Apache-2.0
// Handles the calls of NCCL's profiler interface, for all versions: first the collector, then the
// chained plugin. Nothing here returns an error to NCCL. An event that nobody keeps gets no handle, and
// NCCL then reports nothing more about it.
#pragma once
#include "profiler/chain.h"
#include "profiler/deep_events.h"
#include "profiler/observe.h"

namespace ringside::collector::profiler {

Result open(unsigned version, void** context, int* mask, const Opening& opening);
Result start(void* context, void** handle, const Event& event);
Result stop(void* handle);
/// `arguments`: NCCL's, in its version, for the chained plugin.
Result change(void* handle, State state, const StateDetails& details, unsigned version, void* arguments);
Result close(void* context);

Chain& chain();
/// The events that an NCCL of this version shall report now, to the collector and the chained plugin.
[[nodiscard]] std::uint64_t maskFor(unsigned version);
/// Tells every NCCL of the process which events are wanted now.
void applyMasks();

} // namespace ringside::collector::profiler
