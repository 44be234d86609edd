// SPDX-License-Identifier: Apache-2.0
// Making a thread of ours inside the program.
#pragma once
#include <pthread.h>

#include <ctime>

namespace ringside::collector {

/// Starts a thread that has a small stack and all signals blocked: no handler of the program ever runs on it,
/// and SIGXFSZ becomes an error code. `main` names it and marks it as Inside (record/session.h). What `main`
/// throws ends the thread, with a message, and nothing else. False, with errno, when there is no room for it.
bool startOwnThread(pthread_t& thread, void* (*main)(void*), void* argument);
/// Waits until it is gone, at most until that time of CLOCK_MONOTONIC. False when it is still there.
bool joinOwnThread(pthread_t thread, const timespec& until);

} // namespace ringside::collector
