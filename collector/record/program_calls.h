// SPDX-License-Identifier: Apache-2.0
// Calls into libraries that the program uses too and that keep descriptors between calls: CUDA, CUPTI,
// NVML. Their descriptors must be in the program's table, which the drain thread does not have
// (own_descriptors.h). So a thread with the program's table makes these calls for the drain thread.
#pragma once
#include <pthread.h>

#include <ctime>
#include <functional>

namespace ringside::collector {

/// Starts that thread. Called by a thread of the program before any such call is made. Returns false if
/// the thread cannot be started.
[[nodiscard]] bool startProgramCalls();
/// Ends the thread when no more such calls will be made. Returns false if it still runs at that time on
/// CLOCK_MONOTONIC.
bool endProgramCalls(const timespec& until);

/// Runs `work` with the program's descriptors and waits for its end without a limit. `work` may throw.
/// Called by the drain thread; a thread that has the program's descriptors runs `work` itself.
void runWithProgramDescriptors(const std::function<void()>& work);

/// As startOwnThread (own_thread.h), for a thread with the program's descriptors. `load`, if given, is
/// called before `main`, with the same argument, on a thread with other descriptors: the loader opens
/// and closes files, and in the program's table a descriptor may change hands in between. Loading may
/// wait while a library of the program initializes; that blocks no other thread of the collector.
bool startProgramCallsThread(pthread_t& thread, void* (*main)(void*), void* argument,
                             void* (*load)(void*) = nullptr);

} // namespace ringside::collector
