// SPDX-License-Identifier: Apache-2.0
// A port of a simulated tree, and the values that were read from it.
#pragma once
#include "host/rdma/port_list.h"
#include "support/port_tree.h"

#include <algorithm>
#include <optional>
#include <string>

namespace ringside::test {

inline const host::Quantity* find(const host::Port& port, const std::string& metric)
{
    const auto& all = port.quantities();
    const auto found = std::find_if(all.begin(), all.end(),
                                    [&](const host::Quantity& each) { return metric == each.metric; });
    return found != all.end() ? &*found : nullptr;
}

inline std::optional<std::uint64_t> valueOf(const host::Port& port, const std::string& metric)
{
    const host::Quantity* quantity = find(port, metric);
    return quantity != nullptr ? quantity->value : std::nullopt;
}

inline host::Port read(const PortTree& tree, const std::string& device)
{
    host::Port port(device, 1, tree.root() + "/class/infiniband");
    port.read(host::Depth::All);
    return port;
}

} // namespace ringside::test
