// SPDX-License-Identifier: Apache-2.0
// The counter of the processor as a clock. And the one function of the drain thread that rings call.
#include "record/clock.h"
#include "record/ring.h"

#include <gtest/gtest.h>

using namespace ringside;

void collector::requestDrain() {}

namespace {

TEST(Clock, isTheProcessorsCounterAtItsOwnRate)
{
    collector::chooseClock();
    ASSERT_EQ(collector::g_clockKind, trace::ClockKind::ArmCounter);
    std::uint64_t perSecond = 0;
    __asm__("mrs %0, cntfrq_el0" : "=r"(perSecond));
    const collector::ClockSample begin = collector::sampleClocks();
    collector::ClockSample end = begin;
    while (end.monotonicNs < begin.monotonicNs + 50'000'000) {
        const collector::ClockSample next = collector::sampleClocks();
        ASSERT_GE(next.ticks, end.ticks);
        end = next;
    }
    const double seconds = static_cast<double>(end.monotonicNs - begin.monotonicNs) / 1e9;
    const double counted = static_cast<double>(end.ticks - begin.ticks) / static_cast<double>(perSecond);
    EXPECT_NEAR(counted / seconds, 1.0, 0.1); // a reading may be interrupted between its clocks
}

} // namespace
