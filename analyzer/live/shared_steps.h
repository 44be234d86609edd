// SPDX-License-Identifier: Apache-2.0
// Steps of all ranks side by side: a step is the same one for all that call it by the same number.
#pragma once
#include "live/snapshot.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace ringside::live {

/// The number by which a step is known to all ranks: the program's own, else its count in the process.
[[nodiscard]] inline std::int64_t sharedNumber(const Step& step)
{
    return step.number.value_or(step.id);
}

/// A rank with the steps of its own device, else those that were measured on the host only.
struct RankSteps {
    const Snapshot* host = nullptr;
    const Process* process = nullptr;
    Rank rank;
    std::vector<const Step*> steps; ///< by number
};

/// By rank. Of several attempts of a rank the one that spoke last counts.
[[nodiscard]] std::map<std::int64_t, RankSteps> stepsOfRanks(const RunNow& run);

/// The steps that every rank has, at most the `most` latest, the oldest first: for each of them one step a
/// rank, in the order of the ranks. Steps that are stretches of time are not shared.
[[nodiscard]] std::vector<std::vector<const Step*>>
sharedSteps(const std::map<std::int64_t, RankSteps>& ranks, std::size_t most);

} // namespace ringside::live
