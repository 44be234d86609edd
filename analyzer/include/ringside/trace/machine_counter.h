// SPDX-License-Identifier: Apache-2.0
// The counter of the processor that records use as a clock: on x86-64 the TSC, on ARM64 the virtual count of
// the generic timer (Arm Architecture Reference Manual, D12: it advances at a constant rate and is the same
// on all cores; Linux lets programs read it). Neither read waits for earlier instructions: that would cost
// more than a record, and moves a time by some nanoseconds at most.
#pragma once
#include <ringside/trace/ring.h>

#include <cstdint>
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace ringside::trace {

#if defined(__x86_64__)
inline constexpr ClockKind kMachineCounter = ClockKind::Tsc;
inline std::uint64_t readMachineCounter()
{
    return __rdtsc();
}
#elif defined(__aarch64__)
inline constexpr ClockKind kMachineCounter = ClockKind::ArmCounter;
inline std::uint64_t readMachineCounter()
{
    std::uint64_t count = 0;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(count));
    return count;
}
#else
#error "no counter of this processor is known: add it here"
#endif

} // namespace ringside::trace
