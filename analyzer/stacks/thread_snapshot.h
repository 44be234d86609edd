// SPDX-License-Identifier: Apache-2.0
// What is needed to unwind the threads of another process later: registers and the top of each stack. Each
// thread is stopped only while these are copied, and always released. If the tracer dies, the kernel releases
// all of them (PTRACE_SEIZE sends no SIGSTOP). With Yama's ptrace_scope 1 it must run in an ancestor of the
// process, so that a helper process cannot do it.
#pragma once
#include "stacks/registers.h"

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace ringside::stacks {

struct ThreadSnapshot {
    pid_t tid = 0;
    pid_t ownTid = 0; ///< the id that the thread itself sees; differs in a container
    std::string name;
    std::string error; ///< why registers and stack are missing; empty: they are there
    Registers registers{};
    std::vector<std::byte> stack; ///< from the stack pointer on
};

struct ProcessSnapshot {
    pid_t pid = 0;
    std::vector<ThreadSnapshot> threads;
    std::string error; ///< why threads are missing; empty: all are there
    /// did not stop in time; releaseStopped() must be called again until it is empty
    std::vector<pid_t> stillAttached;
};

[[nodiscard]] ProcessSnapshot snapshotThreads(pid_t pid, std::chrono::milliseconds limit);

/// Releases threads that have stopped meanwhile, and removes them from the list.
void releaseStopped(pid_t pid, std::vector<pid_t>& stillAttached);

} // namespace ringside::stacks
