// SPDX-License-Identifier: Apache-2.0
// A port of a tree, and what was read of it.
#pragma once
#include "support/port_tree.h"
#include "trace/ports/port_list.h"

#include <algorithm>
#include <optional>
#include <string>

namespace ringside::test {

inline const ports::Quantity* find(const ports::Port& port, const std::string& metric)
{
    const auto& all = port.quantities();
    const auto found = std::find_if(all.begin(), all.end(),
                                    [&](const ports::Quantity& each) { return metric == each.metric; });
    return found != all.end() ? &*found : nullptr;
}

inline std::optional<std::uint64_t> valueOf(const ports::Port& port, const std::string& metric)
{
    const ports::Quantity* quantity = find(port, metric);
    return quantity != nullptr ? quantity->value : std::nullopt;
}

inline ports::Port read(const PortTree& tree, const std::string& device)
{
    ports::Port port(device, 1, tree.root() + "/class/infiniband");
    port.read(ports::Depth::All);
    return port;
}

} // namespace ringside::test
