// SPDX-License-Identifier: Apache-2.0
// Descriptors that the program cannot close, replace or be given. In its own table a number of ours may stand
// for a file of the program from one moment to the next (double close, closefrom, a daemon that closes all):
// no look at the number before a write is close enough to the write, and calls of close() that we intercept
// are not all there are. So files of ours are opened, written and closed only on threads that have another
// table: the drain thread with those that it starts, and short-lived ones on behalf of the program's threads.
// POSIX locks belong to a table, too: the program does not drop ours, nor we the program's.
//
// CUDA, CUPTI and NVML keep descriptors between calls from any thread: they are called with the program's
// (program_calls.h).
#pragma once
#include <functional>

namespace ringside::collector {

/// Gives the calling thread, and those that it starts from now on, a table that holds nothing of the program
/// but a copy of stderr. 0 and 1 are /dev/null, so that nothing that a library says there gets into a file of
/// ours. False, with errno, where the kernel or a sandbox refuses it: then no file may be opened.
[[nodiscard]] bool takeOwnDescriptors();
[[nodiscard]] bool hasOwnDescriptors();

/// Lets go of the copy of stderr when the program has closed or replaced its own: whoever reads the other end
/// waits for the last copy. On a thread with descriptors of its own, now and then.
void letGoOfFormerStderr();

/// Runs `work` with own descriptors: here where this thread has some, else on a thread that is gone
/// afterwards. False, with errno, when there is no such thread to be had; else errno is what `work` left. It
/// may throw, and runs Inside.
[[nodiscard]] bool runWithOwnDescriptors(const std::function<void()>& work);

} // namespace ringside::collector
