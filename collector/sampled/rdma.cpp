// SPDX-License-Identifier: Apache-2.0
#include "sampled/rdma.h"

namespace ringside::collector::sampled {

void Rdma::close()
{
    m_verbs.close();
    m_netlink.close();
}

// What sysfs says comes first: loading libibverbs with its drivers, and opening devices, may take its time.
void Rdma::read(Readings& readings, Pace pace)
{
    if (!m_opened && !m_told.empty()) {
        m_opened = true;
        m_untilAll = 0;
        m_verbs.open();
        m_netlink.open();
        openDevices();
        tellReasons(readings);
    }
    if (pace == Pace::OnceASecond) {
        readPorts(readings);
    }
    readEvents(readings);
}

void Rdma::openDevices()
{
    std::set<std::string> devices;
    for (const auto& port : m_ports.ports()) {
        devices.insert(port->device());
    }
    m_verbs.openNew(devices);
    m_indices.clear();
    for (const netlink::Device& device : m_netlink.devices().value_or(std::vector<netlink::Device>())) {
        m_indices.emplace(device.name, device.index);
    }
}

void Rdma::findNew(Readings& readings)
{
    m_ports.findNew();
    if (m_opened) {
        openDevices();
    }
    for (std::size_t index = m_told.size(); index < m_ports.ports().size(); ++index) {
        m_told.emplace_back().events = {m_ports.ports()[index]->name(), "async_event",
                                        trace::SeriesKind::Event};
    }
    if (m_ports.leftOut() > 0 && !m_saidLeftOut) {
        m_saidLeftOut = true;
        readings.report({"rdma_ports_not_sampled", "info", static_cast<std::int64_t>(m_ports.leftOut()),
                         "more than 64 RDMA ports: the others are not sampled"});
    }
}

// One message instead of a file a counter. A kernel that has none of them, or refuses, leaves it to sysfs.
std::optional<netlink::Counters> Rdma::countersOf(const ports::Port& port)
{
    const auto index = m_indices.find(port.device());
    return index != m_indices.end() && !port.leftAlone() ? m_netlink.counters(index->second, port.number())
                                                         : std::nullopt;
}

void Rdma::readPorts(Readings& readings)
{
    constexpr int kAllEvery = 10;
    const bool all = m_untilAll-- <= 0;
    if (all) {
        m_untilAll = kAllEvery - 1;
        findNew(readings);
    }
    for (std::size_t index = 0; index < m_told.size(); ++index) {
        ports::Port& port = *m_ports.ports()[index];
        readings.beginMoment();
        const auto link = m_verbs.linkOf(port.device(), port.number());
        const auto counters = countersOf(port);
        port.read(all ? ports::Depth::All : ports::Depth::Fast, link ? &*link : nullptr,
                  counters ? &*counters : nullptr);
        tell(port, m_told[index], readings);
    }
    if (m_opened) {
        tellReasons(readings);
    }
}

void Rdma::tellReasons(Readings& readings)
{
    for (std::size_t index = 0; index < m_told.size(); ++index) {
        const std::string reason = m_verbs.reason(m_ports.ports()[index]->device());
        if (!reason.empty()) {
            readings.miss(m_told[index].events, reason);
        }
    }
}

void Rdma::readEvents(Readings& readings)
{
    readings.beginMoment();
    for (const Verbs::Event& event : m_verbs.takeEvents()) {
        for (std::size_t index = 0; index < m_told.size(); ++index) {
            const ports::Port& port = *m_ports.ports()[index];
            if (port.device() == event.device && (event.port == 0 || event.port == port.number())) {
                readings.add(m_told[index].events, std::int64_t{event.type});
            }
        }
    }
}

void Rdma::tell(const ports::Port& port, Told& told, Readings& readings)
{
    for (const auto& [name, value] : port.facts()) {
        if (const auto known = told.facts.find(name); known == told.facts.end() || known->second != value) {
            told.facts.insert_or_assign(name, value);
            readings.set({this->name(), port.name() + " " + name, value});
        }
    }
    const std::vector<ports::Quantity>& quantities = port.quantities();
    for (std::size_t index = 0; index < quantities.size(); ++index) {
        const ports::Quantity& quantity = quantities[index];
        if (index == told.series.size()) {
            told.series.push_back({port.name(), quantity.metric,
                                   quantity.counter ? trace::SeriesKind::Counter : trace::SeriesKind::Gauge});
        }
        if (quantity.value) {
            readings.add(told.series[index], *quantity.value);
        } else if (!quantity.reason.empty()) {
            readings.miss(told.series[index], quantity.reason);
        }
    }
    tellTrouble(port, told, readings);
}

void Rdma::tellTrouble(const ports::Port& port, Told& told, Readings& readings)
{
    if (port.trouble() != told.trouble) {
        told.trouble = port.trouble();
        if (!told.trouble.empty()) {
            readings.report({"rdma_port_not_read " + port.name(), "warning", 1,
                             "RDMA port " + port.name() + ": " + told.trouble +
                                 (port.leftAlone() ? ": it is left alone from here on, because more attempts "
                                                     "may fill the kernel's log"
                                                   : ": it is looked for again")});
        }
    }
    if (port.resets() > told.resets) {
        readings.report({"rdma_counters_reset " + port.name(), "info",
                         static_cast<std::int64_t>(port.resets() - told.resets),
                         "RDMA port " + port.name() +
                             ": counters began at 0 again (somebody cleared them, or the driver was loaded): "
                             "what they counted in that second may be missing"});
        told.resets = port.resets();
    }
}

std::string Rdma::reason() const
{
    std::string reason;
    std::size_t read = 0;
    for (const auto& port : m_ports.ports()) {
        if (port->trouble().empty()) {
            ++read;
        } else {
            reason += (reason.empty() ? "" : ", ") + port->name() + ": " + port->trouble();
        }
    }
    return read > 0 ? std::string() : reason.empty() ? "no port in " + m_ports.folder() : reason;
}

} // namespace ringside::collector::sampled
