// SPDX-License-Identifier: Apache-2.0
#include "host/rdma/port_list.h"

#include "host/sysfs_text.h"

#include <algorithm>

namespace ringside::host {

bool PortList::isThere() const
{
    return !namesIn(m_folder).empty();
}

void PortList::findNew()
{
    constexpr std::uint64_t kMostNumber = 255;
    m_leftOut = 0;
    for (const std::string& device : namesIn(m_folder)) {
        for (const std::string& port : namesIn(m_folder + "/" + device + "/ports")) {
            const auto number = numberIn(port);
            if (number && *number <= kMostNumber) {
                add(device, static_cast<unsigned>(*number));
            }
        }
    }
}

void PortList::add(const std::string& device, unsigned number)
{
    const std::string name = device + ":" + std::to_string(number);
    const bool known =
        std::any_of(m_ports.begin(), m_ports.end(), [&](const auto& port) { return port->name() == name; });
    if (known) {
        return;
    }
    if (m_ports.size() == kMost) {
        ++m_leftOut;
        return;
    }
    m_ports.push_back(std::make_unique<Port>(device, number, m_folder));
}

} // namespace ringside::host
