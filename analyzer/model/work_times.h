// SPDX-License-Identifier: Apache-2.0
// Finds when the device worked for a call or a group of calls.
#pragma once
#include "model/communication_work.h"
#include "model/rank.h"
#include "model/time.h"

#include <ringside/trace/reader.h>

#include <optional>
#include <unordered_map>

namespace ringside::model {

/// For each call or group the time from the begin of its first kernel to the end of its last, on the host's
/// clock (ns).
using WorkTimes = std::unordered_map<WorkKey, Interval, WorkKeyHash>;

/// Returns the times of a rank's work from its communication kernels. If the rank only has CUDA events, a
/// time lasts from the event before a call to the event after it.
[[nodiscard]] WorkTimes workTimesOf(const Rank& rank, const trace::ProcessTrace& process,
                                    const CommunicationWork& communication);

/// Returns the time of a call, or of the group that it is in. Returns null if it was not measured.
[[nodiscard]] std::optional<Interval> timeOf(const WorkTimes& times, const trace::CollectiveCallRow& call,
                                             std::uint64_t launch);

} // namespace ringside::model
