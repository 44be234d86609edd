// SPDX-License-Identifier: Apache-2.0
// What stands for functions of a newer C library: where the tests run, that library is there, and nothing
// else would call these.
#include "older_waits.h"

#include <gtest/gtest.h>

#include <array>
#include <thread>

namespace ringside::older {
namespace {

timespec after(long nanoseconds)
{
    timespec time{};
    clock_gettime(CLOCK_MONOTONIC, &time);
    time.tv_nsec += nanoseconds;
    time.tv_sec += time.tv_nsec / kBillion;
    time.tv_nsec %= kBillion;
    return time;
}

struct OlderWaits : testing::Test {
    OlderWaits() { sem_init(&semaphore, 0, 0); }
    ~OlderWaits() override { sem_destroy(&semaphore); }
    OlderWaits(const OlderWaits&) = delete;
    OlderWaits& operator=(const OlderWaits&) = delete;
    sem_t semaphore{};
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
};

TEST_F(OlderWaits, takeWhatIsThereEvenWhenTimeIsOver)
{
    sem_post(&semaphore);
    EXPECT_EQ(waitInSlices(&semaphore, CLOCK_MONOTONIC, after(-kBillion)), 0);
    EXPECT_EQ(lockByTrying(&mutex, CLOCK_MONOTONIC, after(-kBillion)), 0);
}

TEST_F(OlderWaits, endWithTheTimeAndNotBefore)
{
    for (const long wait : std::array{-kBillion, 0L, kSliceNs / 2, 3 * kSliceNs + 7}) {
        const timespec until = after(wait);
        EXPECT_EQ(waitInSlices(&semaphore, CLOCK_MONOTONIC, until), -1);
        EXPECT_EQ(errno, ETIMEDOUT);
        EXPECT_LE(nanosecondsUntil(CLOCK_MONOTONIC, until), 0);
    }
    pthread_mutex_lock(&mutex);
    const timespec until = after(kSliceNs / 10);
    EXPECT_EQ(lockByTrying(&mutex, CLOCK_MONOTONIC, until), ETIMEDOUT);
    EXPECT_LE(nanosecondsUntil(CLOCK_MONOTONIC, until), 0);
}

TEST_F(OlderWaits, areEndedByAnotherThread)
{
    std::thread other([this] { sem_post(&semaphore); });
    EXPECT_EQ(waitInSlices(&semaphore, CLOCK_MONOTONIC, after(100 * kBillion)), 0);
    other.join();
    pthread_mutex_lock(&mutex);
    std::thread waiting(
        [this] { EXPECT_EQ(lockByTrying(&mutex, CLOCK_MONOTONIC, after(100 * kBillion)), 0); });
    pthread_mutex_unlock(&mutex);
    waiting.join();
}

} // namespace
} // namespace ringside::older
