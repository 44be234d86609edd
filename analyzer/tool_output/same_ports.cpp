// SPDX-License-Identifier: Apache-2.0
#include "tool_output/same_ports.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <unordered_map>

namespace ringside::tool_output {
namespace {

/// Names that are of one port only: of the fabric, and of a host.
std::vector<std::string> identitiesOf(const PortReading& port)
{
    std::vector<std::string> keys;
    for (const std::string& guid : port.guids) {
        keys.push_back(fmt::format("guid {} {}", guid, port.number.value_or(0)));
    }
    if (!port.device.empty() && !port.host.empty()) {
        keys.push_back(fmt::format("name {} {}", port.host, port.device));
    }
    return keys;
}

/// Names that ports of other subnets or hosts may have, too: a LID, a device of an unknown host.
std::vector<std::string> referencesOf(const PortReading& port)
{
    std::vector<std::string> keys;
    if (port.lid && port.number) {
        keys.push_back(fmt::format("lid {} {}", *port.lid, *port.number));
    }
    if (!port.device.empty()) {
        keys.push_back(fmt::format("device {}", port.device));
    }
    if (keys.empty() && port.guids.empty()) {
        keys.push_back(fmt::format("node {} {}", port.node, port.number.value_or(0)));
    }
    return keys;
}

/// Sets that can be joined.
class Sets {
public:
    explicit Sets(std::size_t size) : m_parent(size) { std::iota(m_parent.begin(), m_parent.end(), 0); }
    std::size_t of(std::size_t element)
    {
        while (m_parent[element] != element) {
            element = m_parent[element] = m_parent[m_parent[element]];
        }
        return element;
    }
    void join(std::size_t one, std::size_t other) { m_parent[of(other)] = of(one); }

private:
    std::vector<std::size_t> m_parent;
};

/// What a set of readings is known by, as bits.
constexpr unsigned kGuid = 1;
constexpr unsigned kName = 2;

/// Joins what a reference names. Two sets that are known by the same kind of identity are two ports: then
/// only those of which nothing else is known are joined.
void joinByReference(std::vector<std::size_t> members, std::vector<unsigned>& known, Sets& sets)
{
    std::ranges::transform(members, members.begin(), [&](std::size_t member) { return sets.of(member); });
    std::ranges::sort(members);
    members.erase(std::ranges::unique(members).begin(), members.end());
    const auto count = [&](unsigned kind) {
        return std::ranges::count_if(members, [&](std::size_t set) { return (known[set] & kind) != 0; });
    };
    if (count(kGuid) > 1 || count(kName) > 1) {
        std::erase_if(members, [&](std::size_t set) { return known[set] != 0; });
    }
    for (const std::size_t member : members) {
        known[members.front()] |= known[member];
        sets.join(members.front(), member);
    }
}

} // namespace

std::vector<std::vector<PlacedReading>> groupByPort(const std::vector<PlacedReading>& readings)
{
    Sets sets(readings.size());
    std::unordered_map<std::string, std::size_t> byIdentity;
    std::map<std::string, std::vector<std::size_t>> byReference;
    for (std::size_t i = 0; i < readings.size(); ++i) {
        for (std::string& key : identitiesOf(*readings[i].port)) {
            sets.join(byIdentity.try_emplace(std::move(key), i).first->second, i);
        }
        for (const std::string& key : referencesOf(*readings[i].port)) {
            byReference[key].push_back(i);
        }
    }
    std::vector<unsigned> known(readings.size());
    for (std::size_t i = 0; i < readings.size(); ++i) {
        const PortReading& port = *readings[i].port;
        known[sets.of(i)] |=
            (port.guids.empty() ? 0 : kGuid) | (port.device.empty() || port.host.empty() ? 0 : kName);
    }
    for (const auto& [key, members] : byReference) {
        joinByReference(members, known, sets);
    }
    std::vector<std::vector<PlacedReading>> groups;
    std::unordered_map<std::size_t, std::size_t> bySet;
    for (std::size_t i = 0; i < readings.size(); ++i) {
        const auto [found, fresh] = bySet.try_emplace(sets.of(i), groups.size());
        if (fresh) {
            groups.emplace_back();
        }
        groups[found->second].push_back(readings[i]);
    }
    return groups;
}

} // namespace ringside::tool_output
