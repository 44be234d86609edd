// SPDX-License-Identifier: Apache-2.0
// The RDMA ports of a machine. Devices may appear and disappear, so callers search for new ones from time to
// time.
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
    /// `sysfsRoot` is "/sys" or a similar tree.
    explicit PortList(const std::string& sysfsRoot) : m_folder(sysfsRoot + "/class/infiniband") {}

    /// Returns whether this machine has any RDMA device.
    [[nodiscard]] bool isThere() const;
    /// Adds ports that are not in the list yet.
    void findNew();
    [[nodiscard]] const std::string& folder() const { return m_folder; }
    [[nodiscard]] const std::vector<std::unique_ptr<Port>>& ports() const { return m_ports; }
    /// Number of ports beyond kMost, which are ignored.
    [[nodiscard]] std::size_t leftOut() const { return m_leftOut; }

private:
    void add(const std::string& device, unsigned number);

    std::string m_folder;
    std::vector<std::unique_ptr<Port>> m_ports; ///< including ports that are gone, because they may return
    std::size_t m_leftOut = 0;
};

} // namespace ringside::host
