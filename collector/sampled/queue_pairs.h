// SPDX-License-Identifier: Apache-2.0
// Samples on which RDMA ports this process has queue pairs, which shows what it uses. Every process asks
// for itself, because the kernel identifies an owner by its process id, which is valid only in its own
// PID namespace. If the kernel does not report an owner, it is not known whether the port is used.
#pragma once
#include "host/netlink/rdma_netlink.h"
#include "sampled/source.h"

#include <functional>
#include <map>
#include <string>

namespace ringside::collector::sampled {

class QueuePairs final : public Source {
public:
    /// The source is "rdma_use": its series have the same port names as source "rdma", but one process
    /// each.
    [[nodiscard]] const char* name() const override { return "rdma_use"; }
    void open() override { m_netlink.open(); }
    void read(Readings& readings, Pace pace) override;
    [[nodiscard]] std::string reason() const override { return m_netlink.reason(); }
    void close() override { m_netlink.close(); }

    enum class Owner { Own, Near, Other };
    /// Adds the queue pairs of a device to its ports. `ownerOf` maps a process id to its owner. Queue
    /// pairs of other processes of the session may belong to the same job, of which not every process is
    /// recorded, so the port may still be in use.
    void tell(const host::netlink::Device& device, const std::vector<host::netlink::QueuePair>& pairs,
              const std::function<Owner(std::uint32_t)>& ownerOf, Readings& readings);

private:
    host::RdmaNetlink m_netlink;
    std::map<std::string, Series> m_series; ///< by port
    int m_untilNext = 0;                    ///< readings
};

} // namespace ringside::collector::sampled
