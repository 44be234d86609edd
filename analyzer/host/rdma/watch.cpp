// SPDX-License-Identifier: Apache-2.0
#include "host/rdma/watch.h"

namespace ringside::host {

void Watch::open()
{
    m_opened = true;
    m_verbs.open();
    m_netlink.open();
    openDevices();
}

void Watch::close()
{
    m_verbs.close();
    m_netlink.close();
}

void Watch::findNew()
{
    m_ports.findNew();
    if (m_opened) {
        openDevices();
    }
}

void Watch::openDevices()
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

// Uses one message instead of one file per counter. If the kernel does not have the counters or refuses,
// sysfs is read.
std::optional<netlink::Counters> Watch::countersOf(const Port& port)
{
    const auto index = m_indices.find(port.device());
    return index != m_indices.end() && !port.leftAlone() ? m_netlink.counters(index->second, port.number())
                                                         : std::nullopt;
}

void Watch::read(std::size_t index, Depth depth)
{
    Port& port = *m_ports.ports()[index];
    const auto link = m_verbs.linkOf(port.device(), port.number());
    const auto counters = countersOf(port);
    port.read(depth, link ? &*link : nullptr, counters ? &*counters : nullptr);
}

bool Watch::concerns(const Verbs::Event& event, const Port& port)
{
    return port.device() == event.device && (event.port == 0 || event.port == port.number());
}

std::string Watch::reason(const Port& port) const
{
    return m_opened ? m_verbs.reason(port.device()) : std::string();
}

} // namespace ringside::host
