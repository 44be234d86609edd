// SPDX-License-Identifier: Apache-2.0
#include "device/device_clock.h"

#include <algorithm>

namespace ringside::collector {

void DeviceClock::add(const DeviceClockSample& reading)
{
    constexpr std::size_t kMost = 4096; // about an hour, longer than CUPTI keeps a record
    if (!m_readings.empty() && reading.deviceNs <= m_readings.back().deviceNs) {
        m_readings.clear();
    } else if (m_readings.size() == kMost) {
        m_readings.erase(m_readings.begin(), m_readings.begin() + kMost / 2);
    }
    m_readings.push_back(reading);
}

std::int64_t DeviceClock::toMonotonicNs(std::uint64_t deviceNs) const
{
    const auto device = static_cast<std::int64_t>(deviceNs);
    if (!isReady()) {
        return m_readings.front().monotonicNs + device - m_readings.front().deviceNs;
    }
    const auto after = std::upper_bound(
        m_readings.begin() + 1, m_readings.end() - 1, device,
        [](std::int64_t time, const DeviceClockSample& reading) { return time < reading.deviceNs; });
    const DeviceClockSample& to = *after;
    const DeviceClockSample& from = *(after - 1);
    const std::int64_t since = device - from.deviceNs;
    const std::int64_t deviceSpan = to.deviceNs - from.deviceNs;
    const std::int64_t hostSpan = to.monotonicNs - from.monotonicNs;
    const double drift = static_cast<double>(hostSpan - deviceSpan) / static_cast<double>(deviceSpan);
    return from.monotonicNs + since + static_cast<std::int64_t>(drift * static_cast<double>(since));
}

} // namespace ringside::collector
