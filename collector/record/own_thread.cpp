// SPDX-License-Identifier: Apache-2.0
#include "record/own_thread.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstddef>

namespace ringside::collector {

bool startOwnThread(pthread_t& thread, void* (*main)(void*), void* argument)
{
    sigset_t all; // the thread inherits the mask
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    constexpr std::size_t kStackBytes = std::size_t{1} << 20;
    pthread_attr_setstacksize(&attributes, kStackBytes);
    const int error = pthread_create(&thread, &attributes, main, argument);
    pthread_attr_destroy(&attributes);
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    errno = error;
    return error == 0;
}

// Asks again and again: pthread_clockjoin_np would wait, but ThreadSanitizer does not know it.
bool joinOwnThread(pthread_t thread, const timespec& until)
{
    constexpr long kLongestPauseNs = 1'000'000;
    timespec pause{0, 10'000};
    while (pthread_tryjoin_np(thread, nullptr) != 0) {
        timespec now{};
        clock_gettime(CLOCK_MONOTONIC, &now);
        if (now.tv_sec > until.tv_sec || (now.tv_sec == until.tv_sec && now.tv_nsec >= until.tv_nsec)) {
            return false;
        }
        nanosleep(&pause, nullptr);
        pause.tv_nsec = std::min(2 * pause.tv_nsec, kLongestPauseNs);
    }
    return true;
}

} // namespace ringside::collector
