// SPDX-License-Identifier: Apache-2.0
#include "live/metrics.h"

#include "output/prometheus_text.h"
#include "trace/vocabulary/alarm_kind.h"

#include <algorithm>
#include <array>
#include <optional>

namespace ringside::live {
namespace {

using output::label;

std::optional<double> seconds(const std::optional<std::int64_t>& ns)
{
    constexpr double kNsASecond = 1e9;
    return ns ? std::optional(static_cast<double>(*ns) / kNsASecond) : std::nullopt;
}

template <class T>
std::optional<double> number(const std::optional<T>& value)
{
    return value ? std::optional(static_cast<double>(*value)) : std::nullopt;
}

void addJob(output::PrometheusText& out, const JobView& view)
{
    out.add("ringside_job_info", "The job; always 1.", 1.0,
            label("world_size", view.worldSize ? std::to_string(*view.worldSize) : "") + "," +
                label("emulated", view.emulated ? "true" : "false"));
    out.add("ringside_snapshot_timestamp_seconds", "When the figures were read.",
            static_cast<double>(view.readMs) / 1e3);
    out.add("ringside_job_ranks", "Ranks that say something.", static_cast<double>(view.ranks.size()));
    out.add("ringside_job_step_number", "The step of the slowest rank.", number(view.step));
    out.add("ringside_job_steps_per_second", "Steps a second.", view.stepsPerSecond);
    out.add("ringside_job_gpu_utilization_ratio",
            "Share of a step in which a GPU does anything, mean of ranks.", view.utilization);
    out.add("ringside_job_gpu_utilization_spread_ratio", "Its largest difference between ranks.",
            view.utilizationSpread);
    out.add("ringside_job_comm_compute_ratio", "Time of communication over that of computation, on the GPUs.",
            view.commComputeRatio);
    out.add("ringside_job_waits", "Collectives in which ranks wait for others that are not there.",
            static_cast<double>(view.waits.size()));
    out.add("ringside_complaints", "GPUs, links and hosts that are not well.",
            static_cast<double>(view.complaints.size()));
    for (const trace::AlarmKindEntry& kind : trace::kAlarmKinds) {
        const auto inForce = std::ranges::count(view.alarms, kind.text, &Alarm::kind);
        out.add("ringside_alarms", "Alarms in force, by kind.", static_cast<double>(inForce),
                label("kind", kind.text));
    }
}

void addParts(output::PrometheusText& out, const RankView& rank, const std::string& labels)
{
    struct Part {
        const char* name;
        std::optional<std::int64_t> RankView::*member;
    };
    constexpr std::array<Part, 5> kParts{{{"compute", &RankView::computeNs},
                                          {"communication", &RankView::communicationNs},
                                          {"exposed_communication", &RankView::exposedCommunicationNs},
                                          {"idle", &RankView::idleNs},
                                          {"loading", &RankView::loadingNs}}};
    for (const Part& part : kParts) {
        out.add("ringside_rank_step_part_seconds",
                "Median time of a part of the latest steps; parts overlap.", seconds(rank.*(part.member)),
                labels + "," + label("part", part.name));
    }
}

void addRank(output::PrometheusText& out, const RankView& rank)
{
    const std::string labels = label("rank", std::to_string(rank.rank));
    out.add("ringside_rank_info", "Where a rank is; always 1.", 1.0,
            labels + "," + label("host", rank.host) + "," +
                label("device", rank.device ? std::to_string(*rank.device) : ""));
    out.add("ringside_rank_step_seconds", "Median time of the latest steps.", seconds(rank.stepNs), labels);
    out.add("ringside_rank_late_seconds", "Time a step that the others waited for the rank.",
            seconds(rank.lateNs), labels);
    out.add("ringside_rank_step_number", "The latest step of the rank.", number(rank.step), labels);
    out.add("ringside_rank_up", "1: the rank makes progress; 0: it hangs or is silent.",
            rank.state == RankState::Running ? 1.0 : 0.0, labels);
    addParts(out, rank, labels);
}

} // namespace

std::string formatPrometheus(const JobView& view)
{
    std::vector<const RankView*> ranks;
    for (const RankView& rank : view.ranks) {
        ranks.push_back(&rank);
    }
    std::ranges::stable_sort(ranks, {}, &RankView::rank);
    output::PrometheusText out(label("run", view.run));
    addJob(out, view);
    for (const RankView* rank : ranks) {
        addRank(out, *rank);
    }
    return out.text();
}

} // namespace ringside::live
