// SPDX-License-Identifier: Apache-2.0
// Waiting until a time of any clock, with what glibc 2.17 has.
#pragma once
#include <pthread.h>
#include <semaphore.h>

#include <algorithm>
#include <cerrno>
#include <ctime>

namespace ringside::older {

inline constexpr long kBillion = 1'000'000'000;
inline constexpr long kSliceNs = 50'000'000;

inline long nanosecondsUntil(clockid_t clock, const timespec& time)
{
    timespec now{};
    clock_gettime(clock, &now);
    return (time.tv_sec - now.tv_sec) * kBillion + (time.tv_nsec - now.tv_nsec);
}

/// So long from now on the clock that sem_timedwait knows; in slices, because that one can be set.
inline timespec endOfSlice(long nanoseconds)
{
    timespec time{};
    clock_gettime(CLOCK_REALTIME, &time);
    time.tv_nsec += std::min(nanoseconds, kSliceNs);
    time.tv_sec += time.tv_nsec / kBillion;
    time.tv_nsec %= kBillion;
    return time;
}

/// As sem_clockwait.
inline int waitInSlices(sem_t* semaphore, clockid_t clock, const timespec& until)
{
    for (;;) {
        const long left = nanosecondsUntil(clock, until);
        const timespec slice = endOfSlice(std::max(left, 0L));
        if (sem_timedwait(semaphore, &slice) == 0) {
            return 0;
        }
        if (errno != ETIMEDOUT || left <= 0) {
            return -1;
        }
    }
}

/// As pthread_mutex_clocklock; asks every millisecond.
inline int lockByTrying(pthread_mutex_t* mutex, clockid_t clock, const timespec& until)
{
    for (;;) {
        const int result = pthread_mutex_trylock(mutex);
        if (result != EBUSY) {
            return result;
        }
        if (nanosecondsUntil(clock, until) <= 0) {
            return ETIMEDOUT;
        }
        const timespec pause{0, 1'000'000};
        nanosleep(&pause, nullptr);
    }
}

} // namespace ringside::older
