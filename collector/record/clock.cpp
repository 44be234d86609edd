// SPDX-License-Identifier: Apache-2.0
#include "record/clock.h"

#include <limits>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace ringside::collector {

trace::ClockKind g_clockKind = trace::ClockKind::Monotonic;

void chooseClock()
{
#if defined(__aarch64__)
    g_clockKind = trace::kMachineCounter; // constant by the architecture
#elif defined(__x86_64__)
    unsigned a = 0;
    unsigned b = 0;
    unsigned c = 0;
    unsigned d = 0;
    constexpr unsigned kPowerManagementLeaf = 0x80000007;
    constexpr unsigned kInvariantTsc = 1U << 8;
    if (__get_cpuid(kPowerManagementLeaf, &a, &b, &c, &d) != 0 && (d & kInvariantTsc) != 0) {
        g_clockKind = trace::kMachineCounter;
    }
#endif
}

std::uint64_t monotonicTicks()
{
    return static_cast<std::uint64_t>(readClockNs(CLOCK_MONOTONIC));
}

ClockSample sampleClocks()
{
    ClockSample best{};
    std::uint64_t bestWidth = std::numeric_limits<std::uint64_t>::max();
    constexpr int kAttempts = 8;
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
        const std::uint64_t before = ticks();
        const std::int64_t monotonic = readClockNs(CLOCK_MONOTONIC);
        const std::uint64_t between = ticks();
        const std::int64_t realtime = readClockNs(CLOCK_REALTIME);
        const std::int64_t again = readClockNs(CLOCK_MONOTONIC);
        const std::uint64_t after = ticks();
        if (after - before < bestWidth) {
            bestWidth = after - before;
            // Realtime is read between two monotonic readings and belongs to their middle.
            best.ticks = before + (between - before) / 2;
            best.monotonicNs = monotonic;
            best.realtimeNs = realtime - (again - monotonic) / 2;
        }
    }
    if (g_clockKind == trace::ClockKind::Monotonic) {
        best.ticks = static_cast<std::uint64_t>(best.monotonicNs);
    }
    return best;
}

} // namespace ringside::collector
