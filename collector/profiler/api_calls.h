// SPDX-License-Identifier: Apache-2.0
// Records calls that pass no wrapper from the API events of version 5: a group event around one or
// several call events, all on the calling thread. NCCL makes a group for a single call too, and ends it
// with the launch.
#pragma once
#include "profiler/context.h"
#include "profiler/event_pool.h"
#include "record/session.h"

namespace ringside::collector::profiler {

[[nodiscard]] Handle beginForeignGroup(ThreadState& thread, Context& context, const Event& event);
/// The group's last call has ended, and its launch begins.
void launchForeignGroup(ThreadState& thread, Handle group);
void endForeignGroup(ThreadState& thread, Handle group);

[[nodiscard]] Handle beginForeignCall(ThreadState& thread, Context& context, const Event& event);
void endForeignCall(ThreadState& thread, Handle call);

/// Counts a call without recording it, while recording is paused.
void countForeignCall(Context& context);

} // namespace ringside::collector::profiler
