// SPDX-License-Identifier: Apache-2.0
// Watches the RDMA ports of a machine by all that tells of them: sysfs, libibverbs, RDMA netlink. What the
// collector samples and what `ringside links --live` shows comes from here, so both know the same.
#pragma once
#include "host/netlink/rdma_netlink.h"
#include "host/rdma/port_list.h"
#include "host/verbs/verbs.h"

#include <map>

namespace ringside::host {

class Watch final {
public:
    explicit Watch(const std::string& sysfsRoot) : m_ports(sysfsRoot) {}

    /// From now on libibverbs and netlink are asked, too: loading the one with its drivers and opening
    /// devices may take its time. Once.
    void open();
    void close();
    [[nodiscard]] bool isOpen() const { return m_opened; }
    /// Adds the ports, and opens the devices, that are not known yet.
    void findNew();
    [[nodiscard]] const PortList& list() const { return m_ports; }
    /// Reads one of the list's ports.
    void read(std::size_t index, Depth depth);
    /// What happened since the last call; never waits.
    [[nodiscard]] std::vector<Verbs::Event> takeEvents() { return m_verbs.takeEvents(); }
    [[nodiscard]] static bool concerns(const Verbs::Event& event, const Port& port);
    /// Why a port's events are not known; empty: they are, or nobody opened this.
    [[nodiscard]] std::string reason(const Port& port) const;

private:
    void openDevices();
    [[nodiscard]] std::optional<netlink::Counters> countersOf(const Port& port);

    PortList m_ports;
    Verbs m_verbs;
    RdmaNetlink m_netlink;
    std::map<std::string, std::uint32_t> m_indices; ///< netlink's, by device
    bool m_opened = false;
};

} // namespace ringside::host
