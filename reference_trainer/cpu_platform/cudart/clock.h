// SPDX-License-Identifier: Apache-2.0
// The emulated device's clocks. Durations are kept on CLOCK_MONOTONIC; what leaves the library is
// CLOCK_REALTIME, as CUPTI's default, shifted by RINGSIDE_TEST_CLOCK_OFFSET_NS and
// RINGSIDE_TEST_CLOCK_DRIFT_PPM where a test plants them.
#pragma once
#include <cstdint>

namespace ringside::platform {

[[nodiscard]] std::int64_t monotonicNs();
/// The device's CLOCK_REALTIME for a moment of CLOCK_MONOTONIC.
[[nodiscard]] std::int64_t realtimeAt(std::int64_t monotonic);
/// Sleeps until a moment of CLOCK_MONOTONIC; returns at once when it has passed.
void sleepUntil(std::int64_t monotonic);
/// Makes the calling thread's sleeps end within some 10 us instead of the kernel's default slack of 50 us.
void sharpenSleep();

} // namespace ringside::platform
