// SPDX-License-Identifier: Apache-2.0
#include "cli/live_ports.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <ctime>

namespace ringside::cli {
namespace {

std::string sysfsRoot()
{
    const char* root = std::getenv("RINGSIDE_SYSFS_ROOT");
    return root != nullptr && *root != '\0' ? root : "/sys";
}

std::int64_t monotonicNs()
{
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

std::string hostName()
{
    std::array<char, 256> name{};
    return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "this host";
}

} // namespace

LivePorts::LivePorts() : m_ports(sysfsRoot())
{
    m_trace.process.host = hostName();
    m_trace.process.startNs = monotonicNs();
}

void LivePorts::read()
{
    m_ports.findNew();
    m_trace.settings.clear();
    const std::int64_t before = monotonicNs();
    for (const auto& port : m_ports.ports()) {
        port->read(ports::Depth::All);
    }
    const std::int64_t middle = before + (monotonicNs() - before) / 2;
    for (const auto& port : m_ports.ports()) {
        add(*port, middle);
    }
    m_readings.push_back(middle);
    forgetOldest();
}

void LivePorts::add(const ports::Port& port, std::int64_t timeNs)
{
    for (const auto& [name, value] : port.facts()) {
        m_trace.settings.push_back({"rdma", port.name() + " " + name, value});
    }
    for (const ports::Quantity& quantity : port.quantities()) {
        const std::uint32_t series = seriesOf(port, quantity);
        if (quantity.value) {
            m_trace.samples.timeNs.push_back(timeNs);
            m_trace.samples.series.push_back(series);
            m_trace.samples.value.push_back(static_cast<std::int64_t>(*quantity.value));
        }
    }
}

std::uint32_t LivePorts::seriesOf(const ports::Port& port, const ports::Quantity& quantity)
{
    auto found = std::find_if(m_trace.series.begin(), m_trace.series.end(), [&](const trace::SeriesRow& row) {
        return row.entity == port.name() && row.metric == quantity.metric;
    });
    if (found == m_trace.series.end()) {
        const auto id = static_cast<std::int64_t>(m_trace.series.size()) + 1;
        m_trace.series.push_back(
            {id, "rdma", port.name(), quantity.metric, quantity.counter ? "counter" : "gauge", 0});
        found = m_trace.series.end() - 1;
    }
    const auto id = static_cast<std::uint32_t>(found->id);
    const std::string& reason = port.trouble().empty() ? quantity.reason : port.trouble();
    if (!quantity.value && !reason.empty()) {
        found->reason = id; // a text of its own
        m_trace.strings[id] = reason;
    }
    return id;
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
