// SPDX-License-Identifier: Apache-2.0
// What is needed to unwind the threads of another process later: registers and the top of each stack. Each
// thread is held still only while these are copied, and let go on whatever happens; a tracer that dies lets
// all of them go (PTRACE_SEIZE, so no SIGSTOP is on its way). Must run in an ancestor of the process where
// Yama's ptrace_scope is 1, hence not in a helper process.
#pragma once
#include <sys/types.h>
#include <sys/user.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace ringside::cli {

struct ThreadSnapshot {
    pid_t tid = 0;
    pid_t ownTid = 0; ///< what the thread calls itself; another one in a container
    std::string name;
    std::string error; ///< why there is nothing below; empty: there is
    user_regs_struct registers{};
    std::vector<std::byte> stack; ///< from the stack pointer on
};

struct ProcessSnapshot {
    pid_t pid = 0;
    std::vector<ThreadSnapshot> threads;
    std::string error;            ///< why not all threads are there
    std::vector<pid_t> stillHeld; ///< did not stop in time; letGo() must be called again until it is empty
};

[[nodiscard]] ProcessSnapshot snapshotThreads(pid_t pid, std::chrono::milliseconds limit);

/// Lets threads go that have stopped at last, and takes them off the list.
void letGo(pid_t pid, std::vector<pid_t>& stillHeld);

} // namespace ringside::cli
