// SPDX-License-Identifier: Apache-2.0
// A host as the leader sees it.
#pragma once
#include "probe/message.h"
#include "probe/rdma_result.h"

namespace ringside::probe {

struct ProbedHost {
    std::string name;
    std::string interface;
    std::string address;
    RdmaEnd rdma;
    LineConnection connection;
};

/// A measurement of a round.
struct Direction {
    std::size_t sender = 0;
    std::size_t receiver = 0;
    bool served = false;
};

} // namespace ringside::probe
