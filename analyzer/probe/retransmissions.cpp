// SPDX-License-Identifier: Apache-2.0
#include "probe/retransmissions.h"

#include "host/rdma/port.h"

#include <string_view>

namespace ringside::probe {

Retransmissions::Retransmissions(const RdmaPort& port) : m_port(port), m_before(read()) {}

std::optional<std::uint64_t> Retransmissions::count() const
{
    const auto now = read();
    return m_before && now && *now >= *m_before ? std::optional(*now - *m_before) : std::nullopt;
}

std::optional<std::uint64_t> Retransmissions::read() const
{
    host::Port counters(m_port.device, m_port.number, "/sys/class/infiniband");
    counters.read(host::Depth::Fast);
    std::optional<std::uint64_t> sum;
    for (const host::Quantity& each : counters.quantities()) {
        const std::string_view metric = each.metric;
        if (each.value && (metric == "retransmissions" || metric == "ack_timeouts")) {
            sum = sum.value_or(0) + *each.value;
        }
    }
    return sum;
}

} // namespace ringside::probe
