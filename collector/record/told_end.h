// SPDX-License-Identifier: Apache-2.0
// What the program says when it ends itself without exit(): by _exit, quick_exit or exec there is no time to
// close the trace, and they are allowed in signal handlers and in children of vfork. So this is one word in
// the ring's header, which outlives the process: who recovers the rings then knows that nobody killed it.
#pragma once
#include <ringside/trace/ring.h>

namespace ringside::collector {

/// Where it is to be said. Once, when recording starts.
void tellEndsIn(trace::RingHeader& header);

// Any thread, also in a signal handler. They do nothing where nothing is recorded, and in a child that shares
// or copied the memory.

void tellExit(int exitCode);
void tellExec();
/// The exec failed: the program goes on.
void takeBackExec();

} // namespace ringside::collector
