// SPDX-License-Identifier: Apache-2.0
// Calls into libraries that the program uses, too, and that keep descriptors between calls: CUDA, CUPTI,
// NVML. They must find and leave them in the program's table, which the drain thread does not have
// (own_descriptors.h). So a thread that has it makes these calls on the drain thread's behalf.
#pragma once
#include <pthread.h>

#include <ctime>
#include <functional>

namespace ringside::collector {

/// By a thread of the program, before any of ours that makes such calls. False when there is no thread.
[[nodiscard]] bool startProgramCalls();
/// When no more of them will come. False when the thread is still there at that time of CLOCK_MONOTONIC.
bool endProgramCalls(const timespec& until);

/// Runs `work` with the program's descriptors and waits for its end, without a limit. `work` may throw. Of
/// the drain thread; a thread that has the program's descriptors runs it itself.
void runWithProgramDescriptors(const std::function<void()>& work);

/// As startOwnThread (own_thread.h), of a thread that has the program's descriptors. Ahead of `main`, `load`,
/// if there is one, is called with the same argument on a thread that has others: the loader opens files, at
/// numbers that the program may just have closed, and closes them again, when the program may have got the
/// same ones. Loading may wait as long as a library of the program initialises, and so holds up no other
/// thread of ours.
bool startProgramCallsThread(pthread_t& thread, void* (*main)(void*), void* argument,
                             void* (*load)(void*) = nullptr);

} // namespace ringside::collector
