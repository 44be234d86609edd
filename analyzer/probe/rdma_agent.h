// SPDX-License-Identifier: Apache-2.0
// RDMA measurements of an agent: one connection at a time, opened, used and closed as the leader orders.
#pragma once
#include "probe/perftest.h"
#include "probe/rdma_message.h"

namespace ringside::probe {

class RdmaAgent final {
public:
    /// Reads NCCL's variables.
    RdmaAgent();

    /// Returns the ports for the leader's list of hosts, or the reason why there are none.
    [[nodiscard]] Message describePorts() const;
    /// Obeys orders that begin with "rdma_". Returns nothing for other orders.
    [[nodiscard]] std::optional<Message> execute(const Message& order, const Bounds& bounds);

private:
    /// Returns the port that NCCL would use by this name (empty: its first), or null.
    [[nodiscard]] const RdmaPort* portNamed(const std::string& name) const;
    [[nodiscard]] std::string whyNot() const;
    [[nodiscard]] Message open(const std::string& name);
    [[nodiscard]] Message serve(const Message& order, const Bounds& bounds);
    [[nodiscard]] RdmaResult runPerftest(const Message& order, const Bounds& bounds) const;

    RdmaChoice m_choice;
    std::unique_ptr<RdmaConnection> m_connection;
    std::unique_ptr<PerftestServer> m_server;
};

} // namespace ringside::probe
