// SPDX-License-Identifier: Apache-2.0
// Calls that came past the wrappers, as the API events of version 5 show them: a group's event around one or
// several calls' events, all on the calling thread. NCCL makes a group for a single call as well, and ends it
// with the launch.
#pragma once
#include "profiler/context.h"
#include "profiler/event_pool.h"
#include "record/session.h"

namespace ringside::collector::profiler {

[[nodiscard]] Handle beginForeignGroup(ThreadState& thread, Context& context, const Event& event);
/// The group's last call is over: what launches it begins.
void launchForeignGroup(ThreadState& thread, Handle group);
void endForeignGroup(ThreadState& thread, Handle group);

[[nodiscard]] Handle beginForeignCall(ThreadState& thread, Context& context, const Event& event);
void endForeignCall(ThreadState& thread, Handle call);

/// A call that is not recorded, but counts: while recording is paused.
void countForeignCall(Context& context);

} // namespace ringside::collector::profiler
