// SPDX-License-Identifier: Apache-2.0
// Which of several processes summarizes which host.
#pragma once
#include <cstddef>
#include <string>
#include <vector>

namespace ringside::reduce {

/// Returns for each host the process that takes it. The traces of a host are best read on it, so the first
/// process that runs there takes it; the processes take the other hosts in turn. `places` are the names of
/// the processes' hosts, at least one.
[[nodiscard]] std::vector<std::size_t> shareHosts(const std::vector<std::string>& hosts,
                                                  const std::vector<std::string>& places);

} // namespace ringside::reduce
