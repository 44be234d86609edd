// SPDX-License-Identifier: Apache-2.0
#include "summary/device_steps.h"

#include <utility>

namespace ringside::collector::summary {

void DeviceSteps::add(Interval times, std::uint32_t correlation, values::Class work)
{
    if (m_operations.size() - m_head >= kMostOperations) {
        m_operations.clear();
        m_head = 0;
        m_lost = true;
    }
    m_sorted = m_sorted && (m_operations.size() == m_head || m_operations.back().times.start <= times.start);
    m_operations.push_back({times, correlation, work});
}

void DeviceSteps::sort()
{
    if (!m_sorted) {
        std::sort(begin(), m_operations.end(),
                  [](const Operation& a, const Operation& b) { return a.times.start < b.times.start; });
        m_sorted = true;
    }
}

// In the order of starts, the first one is the earliest.
std::optional<std::int64_t> DeviceSteps::firstStart(std::uint32_t fromCorrelation)
{
    sort();
    const auto first = std::find_if(begin(), m_operations.end(), [&](const Operation& each) {
        return !isBefore(each.correlation, fromCorrelation);
    });
    return first != m_operations.end() ? std::optional(first->times.start) : std::nullopt;
}

std::optional<DeviceFigures> DeviceSteps::close(std::uint32_t first, std::uint32_t next,
                                                const std::unordered_set<std::uint32_t>& byNccl)
{
    const auto start = firstStart(first);
    const auto end = firstStart(next);
    if (!start || !end || *start >= *end || std::exchange(m_lost, false)) {
        forgetBefore(next);
        return std::nullopt;
    }
    const DeviceFigures figures{{*start, *end}, sumUp({*start, *end}, byNccl)};
    drop(*end, [&](const Operation& each) { return each.times.end <= *end; });
    return figures;
}

void DeviceSteps::forgetBefore(std::uint32_t correlation)
{
    if (const auto end = firstStart(correlation)) {
        drop(*end, [&](const Operation& each) { return isBefore(each.correlation, correlation); });
    }
}

/// Of the operations that began before `ns` those that `isOver` says.
template <class IsOver>
void DeviceSteps::drop(std::int64_t ns, const IsOver& isOver)
{
    const auto end = std::find_if(begin(), m_operations.end(),
                                  [&](const Operation& each) { return each.times.start >= ns; });
    m_head = static_cast<std::size_t>(std::stable_partition(begin(), end, isOver) - m_operations.begin());
    if (2 * m_head > m_operations.size()) {
        m_operations.erase(m_operations.begin(), begin());
        m_head = 0;
    }
}

values::Breakdown DeviceSteps::sumUp(Interval window, const std::unordered_set<std::uint32_t>& byNccl) const
{
    values::AscendingSweep sweep(window);
    for (std::size_t i = m_head; i < m_operations.size() && m_operations[i].times.start < window.end; ++i) {
        const Operation& each = m_operations[i];
        const bool communicates = each.work == values::kCopy && byNccl.contains(each.correlation);
        sweep.add(communicates ? values::kCommunication : each.work, each.times);
    }
    return values::breakDown(window.length(), sweep.finish());
}

} // namespace ringside::collector::summary
