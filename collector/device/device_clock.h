// SPDX-License-Identifier: Apache-2.0
// Converts times of CUPTI's clock to the host's. CUPTI's clock follows CLOCK_REALTIME, which may be set
// and may drift against CLOCK_MONOTONIC. So each time is converted by the two readings around it: the
// slope of two close readings is not valid far from them.
#pragma once
#include <cstdint>
#include <vector>

namespace ringside::collector {

/// A reading of CUPTI's clock and the host's clock at the same moment.
struct DeviceClockSample {
    std::int64_t deviceNs = 0;
    std::int64_t monotonicNs = 0;
    std::int64_t realtimeNs = 0;
};

class DeviceClock final {
public:
    /// If the clock was set back, conversion starts again with this reading.
    void add(const DeviceClockSample& reading);
    /// Whether there are two readings, and so a slope.
    [[nodiscard]] bool isReady() const { return m_readings.size() > 1; }
    /// Converts to CLOCK_MONOTONIC ns. Outside of the readings the slope of the nearest two is used;
    /// with one reading the slope is 1.
    [[nodiscard]] std::int64_t toMonotonicNs(std::uint64_t deviceNs) const;

private:
    std::vector<DeviceClockSample> m_readings;
};

} // namespace ringside::collector
