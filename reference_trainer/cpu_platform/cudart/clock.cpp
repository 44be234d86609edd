// SPDX-License-Identifier: Apache-2.0
#include "clock.h"

#include "platform.h"

#include <sys/prctl.h>
#include <time.h>

#include <cerrno>
#include <cstdlib>
#include <limits>

namespace ringside::platform {
namespace {

std::int64_t read(clockid_t clock)
{
    timespec now{};
    clock_gettime(clock, &now);
    return now.tv_sec * 1'000'000'000LL + now.tv_nsec;
}

double numberFromEnvironment(const char* name)
{
    const char* text = std::getenv(name);
    return text == nullptr ? 0 : std::strtod(text, nullptr);
}

struct PlantedClock {
    std::int64_t offsetNs = static_cast<std::int64_t>(numberFromEnvironment("RINGSIDE_TEST_CLOCK_OFFSET_NS"));
    double drift = numberFromEnvironment("RINGSIDE_TEST_CLOCK_DRIFT_PPM") * 1e-6;
};

// Measured once: a lost time slice between the readings of two clocks would otherwise change the offset
// between two conversions, and a kernel could end before it began. Both clocks run at the same rate, and
// differ only if the time is set.
std::int64_t realtimeOffsetNs()
{
    constexpr int kAttempts = 20;
    std::int64_t offsetNs = 0;
    std::int64_t narrowestNs = std::numeric_limits<std::int64_t>::max();
    for (int i = 0; i < kAttempts; ++i) {
        const std::int64_t beforeNs = read(CLOCK_MONOTONIC);
        const std::int64_t realtimeNs = read(CLOCK_REALTIME);
        const std::int64_t widthNs = read(CLOCK_MONOTONIC) - beforeNs;
        if (widthNs >= narrowestNs)
            continue;
        narrowestNs = widthNs;
        offsetNs = realtimeNs - beforeNs - widthNs / 2;
    }
    return offsetNs;
}

} // namespace

std::int64_t monotonicNs()
{
    return read(CLOCK_MONOTONIC);
}

std::int64_t realtimeAt(std::int64_t monotonic)
{
    // Drift counts from boot, so that all processes of a host agree on it.
    static const PlantedClock planted;
    static const std::int64_t offsetNs = realtimeOffsetNs();
    return monotonic + offsetNs + planted.offsetNs +
           static_cast<std::int64_t>(planted.drift * static_cast<double>(monotonic));
}

void sleepUntil(std::int64_t monotonic)
{
    if (monotonicNs() >= monotonic)
        return; // a sleep that has already expired would still cost a pass through the scheduler
    const timespec until{monotonic / 1'000'000'000, monotonic % 1'000'000'000};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr) == EINTR) {
    }
}

void sharpenSleep()
{
    prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
}

} // namespace ringside::platform

std::int64_t ringside_platform_now_ns()
{
    return ringside::platform::realtimeAt(ringside::platform::monotonicNs());
}
