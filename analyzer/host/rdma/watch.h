// SPDX-License-Identifier: Apache-2.0
// Watches the RDMA ports of a machine through all sources: sysfs, libibverbs, RDMA netlink. The collector's
// samples and `ringside links --live` use the same object.
#pragma once
#include "host/netlink/rdma_netlink.h"
#include "host/rdma/port_list.h"
#include "host/verbs/verbs.h"

#include <map>

namespace ringside::host {

class Watch final {
public:
    explicit Watch(const std::string& sysfsRoot) : m_ports(sysfsRoot) {}

    /// From now on, libibverbs and netlink are used, too. Loading libibverbs with its drivers and opening
    /// devices may take a while. Must be called once.
    void open();
    void close();
    [[nodiscard]] bool isOpen() const { return m_opened; }
    /// Adds new ports, and opens new devices.
    void findNew();
    [[nodiscard]] const PortList& list() const { return m_ports; }
    /// Reads one of the ports in the list.
    void read(std::size_t index, Depth depth);
    /// Returns the events since the last call. Never blocks.
    [[nodiscard]] std::vector<Verbs::Event> takeEvents() { return m_verbs.takeEvents(); }
    [[nodiscard]] static bool concerns(const Verbs::Event& event, const Port& port);
    /// Why a port's events are not known; empty if they are, or if open() was not called.
    [[nodiscard]] std::string reason(const Port& port) const;

private:
    void openDevices();
    [[nodiscard]] std::optional<netlink::Counters> countersOf(const Port& port);

    PortList m_ports;
    Verbs m_verbs;
    RdmaNetlink m_netlink;
    std::map<std::string, std::uint32_t> m_indices; ///< netlink's indices, by device
    bool m_opened = false;
};

} // namespace ringside::host
