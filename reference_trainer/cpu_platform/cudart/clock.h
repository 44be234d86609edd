// SPDX-License-Identifier: Apache-2.0
// Clocks of the emulated device. Durations use CLOCK_MONOTONIC. Times that leave the library use
// CLOCK_REALTIME, CUPTI's default, shifted by RINGSIDE_TEST_CLOCK_OFFSET_NS and RINGSIDE_TEST_CLOCK_DRIFT_PPM
// if a test sets them.
#pragma once
#include <cstdint>

namespace ringside::platform {

[[nodiscard]] std::int64_t monotonicNs();
/// Returns the device's CLOCK_REALTIME at a time of CLOCK_MONOTONIC.
[[nodiscard]] std::int64_t realtimeAt(std::int64_t monotonic);
/// Sleeps until a time of CLOCK_MONOTONIC; returns at once if it has passed.
void sleepUntil(std::int64_t monotonic);
/// Reduces the calling thread's timer slack to about 10 us from the kernel's default of 50 us.
void sharpenSleep();

} // namespace ringside::platform
