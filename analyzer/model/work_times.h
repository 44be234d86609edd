// SPDX-License-Identifier: Apache-2.0
// When the device worked for a call or a group of calls.
#pragma once
#include "model/communication_work.h"
#include "model/time.h"

#include <ringside/trace/reader.h>

#include <optional>
#include <unordered_map>

namespace ringside::model {

struct Rank;

/// From the begin of the first to the end of the last of its kernels; on the host's clock.
using WorkTimes = std::unordered_map<WorkKey, Interval, WorkKeyHash>;

/// By communication kernels; where CUDA events are all that is known, from the event before a call to the
/// one after it.
[[nodiscard]] WorkTimes workTimesOf(const Rank& rank, const trace::ProcessTrace& process,
                                    const CommunicationWork& communication);

/// Of a call, or of the group that it is in.
[[nodiscard]] std::optional<Interval> timeOf(const WorkTimes& times, const trace::CollectiveCallRow& call,
                                             std::uint64_t launch);

} // namespace ringside::model
