// SPDX-License-Identifier: Apache-2.0
// An agent's part in measuring RDMA: one connection at a time, made, used and closed as the leader says.
#pragma once
#include "probe/rdma_message.h"

namespace ringside::probe {

class RdmaAgent final {
public:
    /// Reads NCCL's variables.
    RdmaAgent();

    /// For the leader's list of hosts: the port, or why there is none.
    [[nodiscard]] Message introduction() const;
    /// Does what orders that begin with "rdma_" say; nothing of other orders.
    [[nodiscard]] std::optional<Message> obey(const Message& order, const Bounds& bounds);

private:
    [[nodiscard]] Message open();

    RdmaChoice m_choice;
    std::unique_ptr<RdmaConnection> m_connection;
};

} // namespace ringside::probe
