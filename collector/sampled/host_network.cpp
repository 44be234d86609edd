// SPDX-License-Identifier: Apache-2.0
#include "sampled/host_network.h"

#include "host/network_facts.h"
#include "host/proc_text.h"

namespace ringside::collector::sampled {

std::optional<std::uint64_t> parseStatistic(std::string_view text, std::string_view group,
                                            std::string_view name)
{
    while (const auto names = host::takeLine(text)) {
        std::string_view labels = *names;
        if (host::takeWord(labels) != group) {
            continue;
        }
        const auto values = host::takeLine(text);
        std::string_view numbers = values.value_or("");
        if (host::takeWord(numbers) != group) {
            return std::nullopt;
        }
        for (std::string_view label = host::takeWord(labels); !label.empty();
             label = host::takeWord(labels)) {
            const std::string_view number = host::takeWord(numbers);
            if (label == name) {
                return host::numberIn(number);
            }
        }
    }
    return std::nullopt;
}

void HostNetwork::open()
{
    m_basic.open(m_procRoot + "/net/snmp");
    m_extended.open(m_procRoot + "/net/netstat");
}

void HostNetwork::read(Readings& readings, Pace pace)
{
    if (pace != Pace::OnceASecond) {
        return;
    }
    if (!m_reported) {
        tellFacts(readings);
        m_reported = true;
    }
    readings.beginMoment();
    const auto basic = m_basic.isOpen() ? m_basic.read(m_basicText) : std::nullopt;
    const auto extended = m_extended.isOpen() ? m_extended.read(m_extendedText) : std::nullopt;
    for (Statistic& each : m_statistics) {
        const auto& text = each.extended ? extended : basic;
        if (const auto value = text ? parseStatistic(*text, each.group, each.field) : std::nullopt) {
            readings.add(each.series, *value);
        } else {
            readings.miss(each.series,
                          std::string("this kernel does not show ") + each.field + " in /proc/net");
        }
    }
}

void HostNetwork::tellFacts(Readings& readings) const
{
    for (const auto& [interface, facts] : host::interfaceFacts(m_sysfsRoot, m_procRoot)) {
        for (const auto& [name, value] : facts) {
            readings.set(trace::settingRow("network", interface, name, value));
        }
    }
    for (const auto& [name, value] : host::kernelFacts(m_procRoot)) {
        readings.set({"kernel", name, value});
    }
    if (const std::string by = host::gpuDirect(m_sysfsRoot, m_procRoot); !by.empty()) {
        readings.set(trace::settingRow({"machine", "gpu_direct"}, by));
    }
}

} // namespace ringside::collector::sampled
