// SPDX-License-Identifier: Apache-2.0
#include "sampled/network.h"

#include "host/input_file.h"
#include "host/proc_text.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace ringside::collector::sampled {
namespace {

constexpr std::string_view kLoopback = "lo";
/// A container host has hundreds of virtual ones.
constexpr std::size_t kMostInterfaces = 32;

template <class Visit>
void forEachInterface(std::string_view text, Visit&& visit)
{
    while (const auto line = host::takeLine(text)) { // the last line may be cut: it is left out
        if (const auto counters = parseInterface(*line)) {
            visit(*counters);
        }
    }
}

} // namespace

std::optional<InterfaceCounters> parseInterface(std::string_view line)
{
    const std::size_t colon = line.rfind(':'); // an alias' name has one, too
    if (colon == std::string_view::npos) {
        return std::nullopt;
    }
    InterfaceCounters counters;
    std::string_view before = line.substr(0, colon);
    counters.name = host::takeWord(before);
    std::string_view rest = line.substr(colon + 1);
    // Each way: bytes packets errs drop, then four more that receiving and sending do not share.
    constexpr int kColumns = 16;
    constexpr int kEachWay = 8;
    constexpr int kWanted = 4;
    std::size_t at = 0;
    for (int column = 0; column < kColumns; ++column) {
        const auto value = host::takeNumberWord(rest);
        if (!value) {
            return std::nullopt;
        }
        if (column % kEachWay < kWanted) {
            counters.values[at++] = *value;
        }
    }
    return counters.name.empty() ? std::nullopt : std::optional(counters);
}

Network::Interface::Interface(const std::string& name)
{
    using enum trace::SeriesName;
    constexpr std::array<trace::SeriesName, InterfaceCounters::kCount> kNames{
        NetworkRxBytes, NetworkRxPackets, NetworkRxErrors, NetworkRxDropped,
        NetworkTxBytes, NetworkTxPackets, NetworkTxErrors, NetworkTxDropped};
    for (std::size_t index = 0; index < series.size(); ++index) {
        series[index].entity = name;
        series[index].name = kNames[index];
    }
    rate.entity = name;
    rate.name = NetworkRate;
}

void Network::open()
{
    if (!m_counters.open(m_countersPath)) {
        m_reason = m_countersPath + ": " + std::strerror(errno);
    }
}

void Network::read(Readings& readings, Pace pace)
{
    readings.beginMoment();
    const auto text = m_counters.isOpen() ? m_counters.read(m_buffer) : std::nullopt;
    if (!text) {
        return;
    }
    if (pace == Pace::OnceASecond) {
        choose(*text, readings);
    }
    forEachInterface(*text, [&](const InterfaceCounters& counters) {
        const auto found = m_interfaces.find(counters.name);
        if (found == m_interfaces.end() || !found->second.wanted) {
            return;
        }
        for (std::size_t index = 0; index < counters.values.size(); ++index) {
            readings.add(found->second.series[index], counters.values[index]);
        }
    });
}

// Which interfaces there are and which of them are up changes seldom.
void Network::choose(std::string_view text, Readings& readings)
{
    for (auto& known : m_interfaces) {
        known.second.wanted = false;
    }
    std::size_t wanted = 0;
    forEachInterface(text, [&](const InterfaceCounters& counters) {
        const std::string name(counters.name);
        if (name == kLoopback || !isUp(name)) {
            return;
        }
        if (wanted == kMostInterfaces) {
            if (!m_saidTooMany) {
                readings.report({trace::Issue::InterfacesNotSampled, 1,
                                 "more than 32 network interfaces are up: the others are not sampled"});
                m_saidTooMany = true;
            }
            return;
        }
        ++wanted;
        Interface& interface = m_interfaces.try_emplace(name, name).first->second;
        interface.wanted = true;
        readRate(name, interface, readings);
    });
    if (wanted == 0) {
        m_interfaces.try_emplace(std::string(kLoopback), std::string(kLoopback)).first->second.wanted = true;
    }
}

// Virtual cards say -1 or refuse; a link that trains anew may change it.
void Network::readRate(const std::string& name, Interface& interface, Readings& readings) const
{
    host::InputFile file(m_interfacesPath + "/" + name + "/speed");
    std::int64_t mbps = 0;
    if (file >> mbps && mbps > 0) {
        readings.add(interface.rate, mbps);
    } else {
        readings.miss(interface.rate, "the interface does not tell its rate");
    }
}

// Tunnels and the like never say more than "unknown". Where nothing is said at all, it is believed to be up.
bool Network::isUp(const std::string& name) const
{
    host::InputFile file(m_interfacesPath + "/" + name + "/operstate");
    std::string state;
    return !(file >> state) || state == "up" || state == "unknown";
}

} // namespace ringside::collector::sampled
