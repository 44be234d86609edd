// SPDX-License-Identifier: Apache-2.0
// Preloaded into the lab's ib_write_bw, which has no steps: marks one every 100 ms, as rank LAB_RANK of 2, so
// that the collector records the process. Starts after a second, when the queue pairs exist.
#include <ringside/collector.h>

#include <chrono>
#include <cstdlib>
#include <thread>

namespace {

[[noreturn]] void markSteps(int rank)
{
    constexpr std::chrono::milliseconds kStep(100);
    std::this_thread::sleep_for(std::chrono::seconds(1));
    RINGSIDE_SET_RANK(rank, 2);
    for (int step = 1;; ++step) {
        RINGSIDE_STEP_BEGIN(step);
        std::this_thread::sleep_for(kStep);
    }
}

[[gnu::constructor]] void begin()
{
    const char* const rank = std::getenv("LAB_RANK");
    std::thread(markSteps, rank != nullptr ? std::atoi(rank) : 0).detach();
}

} // namespace
