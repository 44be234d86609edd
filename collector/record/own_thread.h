// SPDX-License-Identifier: Apache-2.0
// Starts threads of the collector inside the program.
#pragma once
#include <pthread.h>
#include <sys/types.h>

#include <ctime>

namespace ringside::collector {

/// Starts a thread with a small stack and all signals blocked: no handler of the program runs on it, and
/// SIGXFSZ becomes an error code. `main` names the thread and marks it as Inside (record/thread_state.h). An
/// exception from `main` ends only this thread, with a message. Returns false, with errno, if the thread
/// cannot be started.
bool startOwnThread(pthread_t& thread, void* (*main)(void*), void* argument);
/// Waits until the thread has ended, at most until that time on CLOCK_MONOTONIC. Returns false if it
/// still runs.
bool joinOwnThread(pthread_t thread, const timespec& until);

/// Returns whether a thread that startOwnThread started, and that still runs, has this id.
[[nodiscard]] bool isOwnThread(pid_t tid);

} // namespace ringside::collector
