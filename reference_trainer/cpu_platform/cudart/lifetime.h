// SPDX-License-Identifier: Apache-2.0
// Threads of the platform at fork and exit. A forked child has none of them, so that every call fails instead
// of waiting. At exit the threads park, because destructors of other libraries free what they compute with.
#pragma once

namespace ringside::platform {

/// Installs the handlers of fork and exit. Call it before the first thread starts.
void watchProcess();
/// Returns true in a child that was forked after the platform had started.
[[nodiscard]] bool forkedAway();
/// Returns true once the process exits: threads are parked, so that a wait for them would never end.
[[nodiscard]] bool processExits();
/// Blocks all signals on this thread: they belong to the program's threads.
void blockSignals();

/// Held by a stream's thread while it works. Its constructor does not return once the process exits.
class RunningWork final {
public:
    RunningWork();
    ~RunningWork();
    RunningWork(const RunningWork&) = delete;
    RunningWork& operator=(const RunningWork&) = delete;
};

} // namespace ringside::platform
