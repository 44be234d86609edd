// SPDX-License-Identifier: Apache-2.0
#include "model/work_times.h"

namespace ringside::model {
namespace {

void extend(WorkTimes& times, const WorkKey& work, const Interval& time)
{
    const auto [entry, fresh] = times.try_emplace(work, time);
    if (!fresh) {
        entry->second.start = std::min(entry->second.start, time.start);
        entry->second.end = std::max(entry->second.end, time.end);
    }
}

WorkTimes eventTimesOf(const trace::EventTimeColumns& events, const Rank& rank)
{
    WorkTimes times;
    for (std::size_t i = 0; i < events.size(); ++i) {
        if (events.uncertaintyNs[i] != trace::kUnboundedNs && rank.owns(events.device[i])) {
            extend(times, {events.call[i], 0, 0}, {events.startNs[i], events.endNs[i]});
        }
    }
    return times;
}

} // namespace

WorkTimes workTimesOf(const Rank& rank, const trace::ProcessTrace& process,
                      const CommunicationWork& communication)
{
    if (rank.eventTimes) {
        return eventTimesOf(process.eventTimes, rank);
    }
    const trace::KernelColumns& kernels = process.kernels;
    WorkTimes times;
    for (const CommunicationKernel& kernel : communication.kernels) {
        if (rank.owns(kernels.device[kernel.row])) {
            extend(times, kernel.work, {kernels.startNs[kernel.row], kernels.endNs[kernel.row]});
        }
    }
    return times;
}

std::optional<Interval> timeOf(const WorkTimes& times, const trace::CollectiveCallRow& call,
                               std::uint64_t launch)
{
    auto found = times.find(workOf(call, launch));
    if (found == times.end()) {
        found = times.find(WorkKey{static_cast<std::uint64_t>(call.id), 0, 0});
    }
    return found == times.end() ? std::nullopt : std::optional(found->second);
}

} // namespace ringside::model
