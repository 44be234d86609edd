// SPDX-License-Identifier: Apache-2.0
#include "summary/host_share.h"

namespace ringside::collector::summary {
namespace {

// Intervals that are kept apart. Beyond, they are summed up: what overlaps across that border counts twice.
constexpr std::size_t kMostIntervals = 4096;

void addBounded(IntervalUnion& intervals, std::int64_t& summedNs, const Interval& times)
{
    if (intervals.intervals().size() >= kMostIntervals) {
        summedNs += intervals.length();
        intervals.clear();
    }
    intervals.add(times);
}

} // namespace

void HostShare::add(const HostEvent& event)
{
    switch (event.work) {
    case HostWork::Launch:
        ++m_launches;
        break;
    case HostWork::Collective:
        addTraffic(event);
        break;
    case HostWork::Blocking:
        addBounded(m_blocking, m_blockingNs, event.times);
        break;
    case HostWork::Loading:
        addBounded(m_loading, m_loadingNs, event.times);
        break;
    }
}

Traffic& HostShare::trafficOf(std::int64_t communicator)
{
    const auto known = std::find_if(m_traffic.begin(), m_traffic.end(),
                                    [&](const Traffic& each) { return each.communicator == communicator; });
    if (known != m_traffic.end()) {
        return *known;
    }
    if (communicator != 0 && m_traffic.size() >= kMostCommunicators) {
        return trafficOf(0);
    }
    return m_traffic.emplace_back(Traffic{communicator, 0, 0});
}

void HostShare::addTraffic(const HostEvent& event)
{
    Traffic& traffic = trafficOf(event.communicator);
    traffic.calls += event.calls;
    traffic.bytes =
        traffic.bytes && event.bytes ? std::optional(*traffic.bytes + *event.bytes) : std::nullopt;
}

std::int64_t HostShare::collectives() const
{
    std::int64_t calls = 0;
    for (const Traffic& each : m_traffic) {
        calls += each.calls;
    }
    return calls;
}

} // namespace ringside::collector::summary
