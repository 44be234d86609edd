// SPDX-License-Identifier: Apache-2.0
// What NCCL's calls do, whatever version they came by: our part first, then the plugin behind ours. Nothing
// here may fail NCCL: an event that nobody keeps gets no handle, and NCCL then says no more about it.
#pragma once
#include "profiler/chain.h"
#include "profiler/deep_events.h"
#include "profiler/observe.h"

namespace ringside::collector::profiler {

Result open(unsigned version, void** context, int* mask, const Opening& opening);
Result start(void* context, void** handle, const Event& event);
Result stop(void* handle);
/// `arguments` are NCCL's, of its version: for the plugin behind ours.
Result change(void* handle, State state, const StateDetails& details, unsigned version, void* arguments);
Result close(void* context);

Chain& chain();
/// What an NCCL of this version is to tell of now, for us and for the plugin behind ours.
[[nodiscard]] std::uint64_t maskFor(unsigned version);

} // namespace ringside::collector::profiler
