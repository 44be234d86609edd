// SPDX-License-Identifier: Apache-2.0
// Which ranks of the job a process is. Usually the launcher's one; a process that holds several members of a
// communicator, on a device each, is as many ranks, whatever number the launcher gave the process.
#pragma once
#include "record/registry.h"

#include <ringside/trace/rows.h>

#include <optional>
#include <vector>

namespace ringside::collector {

/// `worlds`: Registry::worldCommunicators(). `launched`: rankFromEnvironment(). Empty while nothing is known.
std::vector<trace::RankRow> ranksOf(const std::vector<CommunicatorIdentity>& worlds,
                                    const std::optional<trace::RankRow>& launched);

} // namespace ringside::collector
