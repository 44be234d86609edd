// SPDX-License-Identifier: Apache-2.0
#include "cli/live_ports.h"

#include "host/process.h"

#include <algorithm>

namespace ringside::cli {

std::string sysfsRoot()
{
    const std::string root = host::environmentValue("RINGSIDE_SYSFS_ROOT");
    return root.empty() ? "/sys" : root;
}

LivePorts::LivePorts(const std::string& sysfsRoot) : m_watch(sysfsRoot)
{
    m_trace.process.host = host::hostName();
}

void LivePorts::read(std::int64_t nowNs)
{
    if (m_readings.empty()) {
        m_trace.process.startNs = nowNs;
    }
    m_watch.findNew();
    if (!m_watch.isOpen()) {
        m_watch.open();
    }
    m_trace.settings.clear();
    const auto& all = m_watch.list().ports();
    for (std::size_t index = 0; index < all.size(); ++index) {
        m_watch.read(index, host::Depth::All);
    }
    const std::vector<host::Verbs::Event> events = m_watch.takeEvents();
    for (const auto& port : all) {
        add(*port, nowNs);
        addEvents(*port, events, nowNs);
    }
    m_readings.push_back(nowNs);
    forgetOldest();
}

void LivePorts::add(const host::Port& port, std::int64_t timeNs)
{
    for (const auto& [name, value] : port.facts()) {
        m_trace.settings.push_back(trace::settingRow("rdma", port.name(), name, value));
    }
    for (const host::Quantity& quantity : port.quantities()) {
        const std::string& reason = port.trouble().empty() ? quantity.reason : port.trouble();
        const std::uint32_t series = seriesOf(port, trace::findSeries("rdma", quantity.metric)->name, reason);
        if (quantity.value) {
            addSample(series, timeNs, static_cast<std::int64_t>(*quantity.value));
        }
    }
}

void LivePorts::addEvents(const host::Port& port, const std::vector<host::Verbs::Event>& events,
                          std::int64_t timeNs)
{
    const std::uint32_t series = seriesOf(port, trace::SeriesName::RdmaAsyncEvent, m_watch.reason(port));
    for (const host::Verbs::Event& event : events) {
        if (host::Watch::concerns(event, port)) {
            addSample(series, timeNs, event.type);
        }
    }
}

std::uint32_t LivePorts::seriesOf(const host::Port& port, trace::SeriesName name, const std::string& reason)
{
    auto found = std::find_if(m_trace.series.begin(), m_trace.series.end(), [&](const trace::SeriesRow& row) {
        return row.entity == port.name() && row.metric.text() == trace::entryOf(name).metric;
    });
    if (found == m_trace.series.end()) {
        const auto id = static_cast<std::int64_t>(m_trace.series.size()) + 1;
        m_trace.series.push_back(trace::seriesRow(name, id, port.name()));
        found = m_trace.series.end() - 1;
    }
    const auto id = static_cast<std::uint32_t>(found->id);
    if (!reason.empty()) {
        found->reason = id; // an interned text
        m_trace.strings[id] = reason;
    }
    return id;
}

void LivePorts::addSample(std::uint32_t series, std::int64_t timeNs, std::int64_t value)
{
    m_trace.samples.timeNs.push_back(timeNs);
    m_trace.samples.series.push_back(series);
    m_trace.samples.value.push_back(value);
}

void LivePorts::forgetOldest()
{
    constexpr std::size_t kKept = 600;
    if (m_readings.size() <= kKept) {
        return;
    }
    m_readings.erase(m_readings.begin());
    trace::SampleColumns& samples = m_trace.samples;
    const auto old = std::lower_bound(samples.timeNs.begin(), samples.timeNs.end(), m_readings.front()) -
                     samples.timeNs.begin();
    const auto forget = [old](auto& column) {
        std::remove_cvref_t<decltype(column)> rest;
        std::for_each(column.begin() + old, column.end(), [&rest](auto value) { rest.push_back(value); });
        column = std::move(rest);
    };
    forget(samples.timeNs);
    forget(samples.series);
    forget(samples.value);
}

trace::RunTrace LivePorts::run() const
{
    trace::RunTrace run;
    run.path = "this host";
    run.processes.push_back(m_trace);
    return run;
}

} // namespace ringside::cli
