// SPDX-License-Identifier: Apache-2.0
// Watches the RDMA ports of this machine and makes a run of what it reads, as the collector would: so live
// ports are judged by the same rules as recorded ones.
#pragma once
#include "trace/ports/port_list.h"

#include <ringside/trace/reader.h>

#include <string>

namespace ringside::cli {

class LivePorts final {
public:
    /// RINGSIDE_SYSFS_ROOT says where, else /sys.
    LivePorts();
    /// False where this machine has no RDMA device.
    [[nodiscard]] bool areThere() const { return m_ports.isThere(); }
    [[nodiscard]] const std::string& folder() const { return m_ports.folder(); }
    /// Reads all ports once. Readings older than the last 600 are forgotten.
    void read();
    [[nodiscard]] trace::RunTrace run() const;

private:
    void add(const ports::Port& port, std::int64_t timeNs);
    std::uint32_t seriesOf(const ports::Port& port, const ports::Quantity& quantity);
    void forgetOldest();

    ports::PortList m_ports;
    trace::ProcessTrace m_trace;
    std::vector<std::int64_t> m_readings; ///< when each was
};

} // namespace ringside::cli
