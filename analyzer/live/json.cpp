// SPDX-License-Identifier: Apache-2.0
// ringside-top-1.schema.json describes the output. Within a major version, members are only added.
#include "live/show.h"
#include "output/json_value.h"

#include <fmt/format.h>

namespace ringside::live {
namespace {

Json toJson(const RankView& rank)
{
    return {{"rank", rank.rank},
            {"host", rank.host},
            {"pid", rank.pid},
            {"device", orNull(rank.device)},
            {"state", stateName(rank.state)},
            {"silent_ms", rank.silentMs},
            {"level", rank.level},
            {"step", orNull(rank.step)},
            {"step_ns", orNull(rank.stepNs)},
            {"late_ns", orNull(rank.lateNs)},
            {"compute_ns", orNull(rank.computeNs)},
            {"communication_ns", orNull(rank.communicationNs)},
            {"exposed_communication_ns", orNull(rank.exposedCommunicationNs)},
            {"idle_ns", orNull(rank.idleNs)},
            {"blocking_ns", orNull(rank.blockingNs)},
            {"loading_ns", orNull(rank.loadingNs)},
            {"recent_step_ns", rank.recentStepNs}};
}

Json toJson(const Wait& wait)
{
    return {{"communicator", wait.communicator},
            {"sequence", wait.sequence},
            {"function", wait.api.empty() ? Json(nullptr) : Json(wait.api)},
            {"since_ms", wait.sinceMs},
            {"waiting", wait.waiting},
            {"missing", wait.missing},
            {"members_not_seen", wait.notSeen}};
}

Json toJson(const Complaint& complaint)
{
    return {{"host", complaint.host}, {"entity", complaint.entity}, {"what", complaint.what}};
}

Json toJson(const Alarm& alarm)
{
    return {{"kind", alarm.kind},
            {"message", alarm.message},
            {"at_ms", alarm.atMs},
            {"rank", orNull(alarm.rank)}};
}

template <class T>
Json listOf(const std::vector<T>& entries)
{
    Json list = Json::array();
    for (const T& entry : entries) {
        list.push_back(toJson(entry));
    }
    return list;
}

} // namespace

std::string formatJson(const JobView& view)
{
    const Json json = {{"schema", "ringside-top/1"},
                       {"run", view.run},
                       {"read_ms", view.readMs},
                       {"emulated", view.emulated},
                       {"verdict", view.verdict},
                       {"world_size", orNull(view.worldSize)},
                       {"steps_are_marked", view.stepsAreMarked},
                       {"step", orNull(view.step)},
                       {"steps_per_s", orNull(view.stepsPerSecond)},
                       {"step_time_trend", orNull(view.trend)},
                       {"comm_compute_ratio", orNull(view.commComputeRatio)},
                       {"gpu_utilization", orNull(view.utilization)},
                       {"gpu_utilization_spread", orNull(view.utilizationSpread)},
                       {"lateness_by", latenessName(view.latenessBy)},
                       {"ranks", listOf(view.ranks)},
                       {"waits", listOf(view.waits)},
                       {"not_well", listOf(view.complaints)},
                       {"alarms", listOf(view.alarms)},
                       {"notes", view.notes}};
    return json.dump(2) + "\n";
}

} // namespace ringside::live
