// SPDX-License-Identifier: Apache-2.0
// The clock of records: the TSC where the processor says that it is invariant, else CLOCK_MONOTONIC.
#pragma once
#include <ringside/trace/ring.h>

#include <cstdint>
#include <ctime>
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace ringside::collector {

/// Monotonic until chooseClock() found an invariant TSC: call it before the first ring is made, not from a
/// static constructor, which may run after the first intercepted call.
extern trace::ClockKind g_clockKind __attribute__((visibility("hidden")));
void chooseClock();

inline std::int64_t readClockNs(clockid_t clock)
{
    timespec time{};
    clock_gettime(clock, &time);
    return time.tv_sec * std::int64_t{1'000'000'000} + time.tv_nsec;
}

/// The moment of CLOCK_MONOTONIC that is so far ahead, for waits that end by then.
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
/// One reading of all clocks: the tightest of a few, so that an interrupt between two of them does not count.
ClockSample sampleClocks();

} // namespace ringside::collector
