// SPDX-License-Identifier: Apache-2.0
#include "sampled/rdma.h"

namespace ringside::collector::sampled {

#define RINGSIDE_PORT_COUNTER(folder, file, metric, bits, unit, pace)                                        \
    static_assert(trace::findSeries("rdma", metric) != nullptr, "series.def lacks " metric);
#include "host/rdma/counters.def"

// What sysfs says comes first: loading libibverbs with its drivers, and opening devices, may take its time.
void Rdma::read(Readings& readings, Pace pace)
{
    if (!m_watch.isOpen() && !m_reported.empty()) {
        m_untilAll = 0;
        m_watch.open();
        tellReasons(readings);
    }
    if (pace == Pace::OnceASecond) {
        readPorts(readings);
    }
    readEvents(readings);
}

void Rdma::findNew(Readings& readings)
{
    m_watch.findNew();
    const host::PortList& list = m_watch.list();
    for (std::size_t index = m_reported.size(); index < list.ports().size(); ++index) {
        m_reported.emplace_back().events = {list.ports()[index]->name(), trace::SeriesName::RdmaAsyncEvent};
    }
    if (list.leftOut() > 0 && !m_saidLeftOut) {
        m_saidLeftOut = true;
        readings.report({trace::Issue::RdmaPortsNotSampled, static_cast<std::int64_t>(list.leftOut()),
                         "more than 64 RDMA ports: the others are not sampled"});
    }
}

void Rdma::readPorts(Readings& readings)
{
    constexpr int kAllEvery = 10;
    const bool all = m_untilAll-- <= 0;
    if (all) {
        m_untilAll = kAllEvery - 1;
        findNew(readings);
    }
    for (std::size_t index = 0; index < m_reported.size(); ++index) {
        readings.beginMoment();
        m_watch.read(index, all ? host::Depth::All : host::Depth::Fast);
        report(*m_watch.list().ports()[index], m_reported[index], readings);
    }
    tellReasons(readings);
}

void Rdma::tellReasons(Readings& readings)
{
    for (std::size_t index = 0; index < m_reported.size(); ++index) {
        const std::string reason = m_watch.reason(*m_watch.list().ports()[index]);
        if (!reason.empty()) {
            readings.miss(m_reported[index].events, reason);
        }
    }
}

void Rdma::readEvents(Readings& readings)
{
    readings.beginMoment();
    for (const host::Verbs::Event& event : m_watch.takeEvents()) {
        for (std::size_t index = 0; index < m_reported.size(); ++index) {
            if (host::Watch::concerns(event, *m_watch.list().ports()[index])) {
                readings.add(m_reported[index].events, std::int64_t{event.type});
            }
        }
    }
}

void Rdma::report(const host::Port& port, Reported& reported, Readings& readings)
{
    for (const auto& [name, value] : port.facts()) {
        if (const auto known = reported.facts.find(name);
            known == reported.facts.end() || known->second != value) {
            reported.facts.insert_or_assign(name, value);
            readings.set(trace::settingRow("rdma", port.name(), name, value));
        }
    }
    const std::vector<host::Quantity>& quantities = port.quantities();
    for (std::size_t index = 0; index < quantities.size(); ++index) {
        const host::Quantity& quantity = quantities[index];
        if (index == reported.series.size()) {
            const trace::SeriesEntry* const entry = trace::findSeries(this->name(), quantity.metric);
            reported.series.push_back({port.name(), entry->name});
        }
        if (quantity.value) {
            readings.add(reported.series[index], *quantity.value);
        }
        if (!quantity.reason.empty()) {
            readings.miss(reported.series[index], quantity.reason);
        }
    }
    reportTrouble(port, reported, readings);
}

void Rdma::reportTrouble(const host::Port& port, Reported& reported, Readings& readings)
{
    if (port.trouble() != reported.trouble) {
        reported.trouble = port.trouble();
        if (!reported.trouble.empty()) {
            readings.report({trace::Issue::RdmaPortNotRead, 1,
                             "RDMA port " + port.name() + ": " + reported.trouble +
                                 (port.leftAlone() ? ": it is left alone from here on, because more attempts "
                                                     "may fill the kernel's log"
                                                   : ": it is looked for again"),
                             port.name()});
        }
    }
    if (port.resets() > reported.resets) {
        readings.report({trace::Issue::RdmaCountersReset,
                         static_cast<std::int64_t>(port.resets() - reported.resets),
                         "RDMA port " + port.name() +
                             ": counters began at 0 again (somebody cleared them, or the driver was loaded): "
                             "what they counted in that second may be missing",
                         port.name()});
        reported.resets = port.resets();
    }
}

std::string Rdma::reason() const
{
    std::string reason;
    std::size_t read = 0;
    for (const auto& port : m_watch.list().ports()) {
        if (port->trouble().empty()) {
            ++read;
        } else {
            reason += (reason.empty() ? "" : ", ") + port->name() + ": " + port->trouble();
        }
    }
    return read > 0 ? std::string() : reason.empty() ? "no port in " + m_watch.list().folder() : reason;
}

} // namespace ringside::collector::sampled
