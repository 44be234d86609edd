// SPDX-License-Identifier: Apache-2.0
// CUPTI's clock on the host's. It follows CLOCK_REALTIME, which may drift against CLOCK_MONOTONIC and be set,
// so each record is converted between the two readings around it: a slope of two readings close to each other
// says little of a moment far from them.
#pragma once
#include <cstdint>
#include <vector>

namespace ringside::collector {

/// What CUPTI's clock read when the host's did.
struct DeviceClockSample {
    std::int64_t deviceNs = 0;
    std::int64_t monotonicNs = 0;
    std::int64_t realtimeNs = 0;
};

class DeviceClock final {
public:
    /// A clock that was set back begins anew with this reading.
    void add(const DeviceClockSample& reading);
    /// There are two readings, and so a slope.
    [[nodiscard]] bool isReady() const { return m_readings.size() > 1; }
    /// CLOCK_MONOTONIC ns; outside of the readings by the slope of the nearest two. Of one reading, without a
    /// slope.
    [[nodiscard]] std::int64_t toMonotonicNs(std::uint64_t deviceNs) const;

private:
    std::vector<DeviceClockSample> m_readings;
};

} // namespace ringside::collector
