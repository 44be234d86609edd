// SPDX-License-Identifier: Apache-2.0
// The RDMA ports of a machine. Devices come and go: whoever reads them looks for new ones now and then.
#pragma once
#include "host/rdma/port.h"

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace ringside::host {

class PortList final {
public:
    static constexpr std::size_t kMost = 64;
    /// `sysfsRoot` is "/sys", or a tree like it.
    explicit PortList(const std::string& sysfsRoot) : m_folder(sysfsRoot + "/class/infiniband") {}

    /// Whether this machine has an RDMA device at all.
    [[nodiscard]] bool isThere() const;
    /// Adds the ports that are not known yet.
    void findNew();
    [[nodiscard]] const std::string& folder() const { return m_folder; }
    [[nodiscard]] const std::vector<std::unique_ptr<Port>>& ports() const { return m_ports; }
    /// How many there are beyond kMost, which are not looked at.
    [[nodiscard]] std::size_t leftOut() const { return m_leftOut; }

private:
    void add(const std::string& device, unsigned number);

    std::string m_folder;
    std::vector<std::unique_ptr<Port>> m_ports; ///< also those that are gone: they may come back
    std::size_t m_leftOut = 0;
};

} // namespace ringside::host
