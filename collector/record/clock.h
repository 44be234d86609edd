// SPDX-License-Identifier: Apache-2.0
// The clock of records: the TSC if the processor reports that it is invariant, else CLOCK_MONOTONIC.
#pragma once
#include <ringside/trace/ring.h>

#include <cstdint>
#include <ctime>
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace ringside::collector {

/// CLOCK_MONOTONIC until chooseClock() finds an invariant TSC. Call chooseClock() before the first ring
/// is made, and not from a static constructor, which may run after the first intercepted call.
extern trace::ClockKind g_clockKind __attribute__((visibility("hidden")));
void chooseClock();

inline std::int64_t readClockNs(clockid_t clock)
{
    timespec time{};
    clock_gettime(clock, &time);
    return time.tv_sec * std::int64_t{1'000'000'000} + time.tv_nsec;
}

/// The time on CLOCK_MONOTONIC after this duration, as the deadline of a wait.
inline timespec inMilliseconds(std::int64_t milliseconds)
{
    constexpr std::int64_t kNsASecond = 1'000'000'000;
    const std::int64_t when = readClockNs(CLOCK_MONOTONIC) + milliseconds * 1'000'000;
    return {static_cast<time_t>(when / kNsASecond), static_cast<long>(when % kNsASecond)};
}

[[gnu::cold]] std::uint64_t monotonicTicks();
inline std::uint64_t ticks()
{
#if defined(__x86_64__)
    if (g_clockKind == trace::ClockKind::Tsc) [[likely]] {
        return __rdtsc();
    }
#endif
    return monotonicTicks();
}

struct ClockSample {
    std::uint64_t ticks;
    std::int64_t monotonicNs;
    std::int64_t realtimeNs;
};
/// Reads all clocks a few times and returns the reading that took least time, so that an interrupt in
/// between does not matter.
ClockSample sampleClocks();

} // namespace ringside::collector
