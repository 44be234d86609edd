// SPDX-License-Identifier: Apache-2.0
// Stores how the program ends itself by _exit, quick_exit or exec. The trace cannot be closed there,
// because these functions are allowed in signal handlers and in children of vfork. So one word in the
// ring's header, which outlives the process, holds it. Recovery then knows that the process was not
// killed.
#pragma once
#include <ringside/trace/ring.h>

namespace ringside::collector {

/// Sets the ring header to write to. Called once, when recording starts.
void recordEndsIn(trace::RingHeader& header);

// May be called by any thread, also in a signal handler. They do nothing if nothing is recorded, or in a
// child that shares or copied the memory.

void recordExit(int exitCode);
void recordExec();
/// Call it if exec failed and the program continues.
void clearExec();

} // namespace ringside::collector
