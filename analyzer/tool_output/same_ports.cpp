// SPDX-License-Identifier: Apache-2.0
#include "tool_output/same_ports.h"

#include <fmt/format.h>

#include <numeric>
#include <unordered_map>

namespace ringside::tool_output {
namespace {

std::vector<std::string> keysOf(const PortReading& port)
{
    std::vector<std::string> keys;
    for (const std::string& guid : port.guids) {
        keys.push_back(fmt::format("guid {} {}", guid, port.number.value_or(0)));
    }
    if (port.lid && port.number) {
        keys.push_back(fmt::format("lid {} {}", *port.lid, *port.number));
    }
    if (!port.device.empty()) {
        keys.push_back(fmt::format("name {} {}", port.host, port.device));
    }
    if (keys.empty()) {
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

} // namespace

std::vector<std::vector<PlacedReading>> groupByPort(const std::vector<PlacedReading>& readings)
{
    Sets sets(readings.size());
    std::unordered_map<std::string, std::size_t> byKey;
    for (std::size_t i = 0; i < readings.size(); ++i) {
        for (std::string& key : keysOf(*readings[i].port)) {
            const auto [found, fresh] = byKey.try_emplace(std::move(key), i);
            if (!fresh) {
                sets.join(found->second, i);
            }
        }
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
