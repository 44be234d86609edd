// SPDX-License-Identifier: Apache-2.0
// Packets that an RDMA port sent again while a measurement ran, by the counters of its driver.
#pragma once
#include "probe/rdma_choice.h"

#include <cstdint>
#include <optional>

namespace ringside::probe {

class Retransmissions final {
public:
    /// Begins to count.
    explicit Retransmissions(const RdmaPort& port);
    /// Returns the number since then; null if the port does not count them.
    [[nodiscard]] std::optional<std::uint64_t> count() const;

private:
    [[nodiscard]] std::optional<std::uint64_t> read() const;

    RdmaPort m_port;
    std::optional<std::uint64_t> m_before;
};

} // namespace ringside::probe
