// SPDX-License-Identifier: Apache-2.0
// Which hosts of a run this process of a team works on.
#pragma once
#include <string>
#include <vector>

namespace ringside::cli {

/// Returns for each host whether this process of team() takes it; without a team, it takes all. All processes
/// must call it with the same hosts.
[[nodiscard]] std::vector<bool> ownHosts(const std::vector<std::string>& hosts);

} // namespace ringside::cli
