// SPDX-License-Identifier: Apache-2.0
// Descriptors that the program cannot close, replace or reuse. In the program's table a descriptor of
// the collector could refer to a file of the program at any moment (double close, closefrom, a daemon
// that closes all). Checking it before a write leaves a race, and wrapping close() does not catch all
// closes. So the collector opens, writes and closes its files only on threads with another table: the
// drain thread and the threads that it starts, and short-lived threads on behalf of the program's. POSIX
// locks belong to a table too, so neither side drops the other's.
//
// CUDA, CUPTI and NVML keep descriptors between calls from any thread. They are called with the
// program's table (program_calls.h).
#pragma once
#include <functional>

namespace ringside::collector {

/// Gives the calling thread, and the threads that it starts later, a table that holds nothing of the
/// program except a copy of stderr. 0 and 1 are /dev/null, so that output of a library cannot get into a
/// file of the collector. Returns false, with errno, if the kernel or a sandbox refuses it: then no file
/// may be opened.
[[nodiscard]] bool takeOwnDescriptors();
[[nodiscard]] bool hasOwnDescriptors();

/// Closes the copy of stderr if the program has closed or replaced its own, because a reader of a pipe
/// waits for the last copy. Call it regularly on a thread with its own table.
void letGoOfFormerStderr();

/// Runs `work` with a table of its own: on this thread if it has one, else on a short-lived thread.
/// Returns false, with errno, if that thread cannot be started; else errno is that of `work`. `work` may
/// throw, and runs marked as Inside.
[[nodiscard]] bool runWithOwnDescriptors(const std::function<void()>& work);

} // namespace ringside::collector
