// SPDX-License-Identifier: Apache-2.0
// The clock of records: the processor's counter if it advances at a constant rate, else CLOCK_MONOTONIC.
#pragma once
#include <ringside/trace/machine_counter.h>

#include <cstdint>
#include <ctime>

namespace ringside::collector {

/// CLOCK_MONOTONIC until chooseClock() finds a counter that advances at a constant rate. Call chooseClock()
/// before the first ring is made, and not from a static constructor, which may run after the first
/// intercepted call.
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
    if (g_clockKind == trace::kMachineCounter) [[likely]] {
        return trace::readMachineCounter();
    }
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
