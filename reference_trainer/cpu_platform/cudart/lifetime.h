// SPDX-License-Identifier: Apache-2.0
// What happens to our threads at fork and at exit. After a fork the child has none, so every call fails
// instead of waiting for them; at exit they park, because other libraries' destructors take away what they
// compute with.
#pragma once

namespace ringside::platform {

/// Call before the first thread starts: from then on forks and the exit are watched.
void watchProcess();
/// True in a child that was forked after the platform had started.
[[nodiscard]] bool forkedAway();
/// True once the process exits: threads are parked, so waiting for them would never end.
[[nodiscard]] bool processExits();
/// Signals of the program belong to the program's threads.
void blockSignals();

/// Held by a stream's thread while it works. Constructing it does not return once the process exits.
class RunningWork final {
public:
    RunningWork();
    ~RunningWork();
    RunningWork(const RunningWork&) = delete;
    RunningWork& operator=(const RunningWork&) = delete;
};

} // namespace ringside::platform
