// SPDX-License-Identifier: Apache-2.0
// On which RDMA ports this process has queue pairs: what it really uses. Every process asks for itself, since
// an owner is told by its task's number, which means something in its own PID namespace alone. Where the
// kernel does not tell an owner, it is not known whether the port is used.
#pragma once
#include "host/netlink/rdma_netlink.h"
#include "sampled/source.h"

#include <functional>
#include <map>
#include <string>

namespace ringside::collector::sampled {

class QueuePairs final : public Source {
public:
    /// "rdma_use": series of the ports of the same names as in source "rdma", but of one process each.
    [[nodiscard]] const char* name() const override { return "rdma_use"; }
    void open() override { m_netlink.open(); }
    void read(Readings& readings, Pace pace) override;
    [[nodiscard]] std::string reason() const override { return m_netlink.reason(); }
    void close() override { m_netlink.close(); }

    enum class Owner { Own, Near, Other };
    /// Adds what a device's queue pairs say of its ports, where `ownerOf` says whose a task is. Near ones may
    /// belong to the same job, of which not every process is recorded: then a port may be used all the same.
    void tell(const host::netlink::Device& device, const std::vector<host::netlink::QueuePair>& pairs,
              const std::function<Owner(std::uint32_t)>& ownerOf, Readings& readings);

private:
    host::RdmaNetlink m_netlink;
    std::map<std::string, Series> m_series; ///< by port
    int m_untilNext = 0;                    ///< readings
};

} // namespace ringside::collector::sampled
