// SPDX-License-Identifier: Apache-2.0
// Preloaded into the programs of an emulated host whose clocks run too fast: by RINGSIDE_LAB_CLOCK_DRIFT_PPM
// since RINGSIDE_LAB_CLOCK_ANCHOR_NS of CLOCK_MONOTONIC. An offset is the kernel's to plant (a time
// namespace), so waiting until a moment that is not converted here is wrong by the drift alone, some ms at
// most.
#include "support/test_libc.h"

#include <dlfcn.h>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <ctime>

namespace {

constexpr std::int64_t kNsASecond = 1'000'000'000;

std::int64_t nanoseconds(const timespec& time)
{
    return time.tv_sec * kNsASecond + time.tv_nsec;
}

timespec timeOf(std::int64_t ns)
{
    return {ns / kNsASecond, ns % kNsASecond};
}

template <typename Function>
Function next(const char* name)
{
    return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

int realTime(clockid_t clock, timespec* time)
{
    static const auto real = next<decltype(&clock_gettime)>("clock_gettime");
    return real(clock, time);
}

double numberOf(const char* name)
{
    const char* const text = std::getenv(name);
    return text == nullptr ? 0 : std::strtod(text, nullptr);
}

struct Planted {
    double drift = numberOf("RINGSIDE_LAB_CLOCK_DRIFT_PPM") * 1e-6;
    std::int64_t anchorNs = std::llround(numberOf("RINGSIDE_LAB_CLOCK_ANCHOR_NS"));
    [[nodiscard]] std::int64_t gained(std::int64_t monotonicNs) const
    {
        return std::llround(drift * static_cast<double>(monotonicNs - anchorNs));
    }
};

const Planted& planted()
{
    static const Planted planted;
    return planted;
}

bool drifts(clockid_t clock)
{
    return clock == CLOCK_MONOTONIC || clock == CLOCK_REALTIME;
}

std::int64_t gainedNow()
{
    timespec now{};
    realTime(CLOCK_MONOTONIC, &now);
    return planted().gained(nanoseconds(now));
}

} // namespace

extern "C" int clock_gettime(clockid_t clock, timespec* time) noexcept
{
    const int result = realTime(clock, time);
    if (result == 0 && drifts(clock)) {
        *time = timeOf(nanoseconds(*time) +
                       (clock == CLOCK_MONOTONIC ? planted().gained(nanoseconds(*time)) : gainedNow()));
    }
    return result;
}

extern "C" int clock_nanosleep(clockid_t clock, int flags, const timespec* until, timespec* left)
{
    static const auto real = next<decltype(&clock_nanosleep)>("clock_nanosleep");
    if ((flags & TIMER_ABSTIME) == 0 || !drifts(clock)) {
        return real(clock, flags, until, left);
    }
    const timespec kernels = timeOf(nanoseconds(*until) - gainedNow());
    return real(clock, flags, &kernels, left);
}
