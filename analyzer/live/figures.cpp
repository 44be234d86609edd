// SPDX-License-Identifier: Apache-2.0
#include "live/figures.h"

#include "trace/vocabulary/alarm_kind.h"

#include <algorithm>
#include <array>
#include <optional>

namespace ringside::live {
namespace {

using Labels = std::vector<std::pair<std::string_view, std::string>>;

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

class Figures final {
public:
    void add(std::string_view name, std::string_view unit, std::string_view description,
             std::optional<double> value, Labels labels = {})
    {
        if (value) {
            m_list.push_back({name, unit, description, *value, std::move(labels)});
        }
    }
    [[nodiscard]] std::vector<Figure> take() { return std::move(m_list); }

private:
    std::vector<Figure> m_list;
};

void addJob(Figures& out, const JobView& view)
{
    out.add("job.ranks", "{rank}", "Ranks that say something.", static_cast<double>(view.ranks.size()));
    out.add("job.step_number", "{step}", "The step of the slowest rank.", number(view.step));
    out.add("job.steps", "{step}/s", "Steps a second.", view.stepsPerSecond);
    out.add("job.gpu_utilization", "1", "Share of a step in which a GPU does anything, mean of ranks.",
            view.utilization);
    out.add("job.gpu_utilization_spread", "1", "Its largest difference between ranks.",
            view.utilizationSpread);
    out.add("job.comm_compute", "1", "Time of communication over that of computation, on the GPUs.",
            view.commComputeRatio);
    out.add("job.waits", "{collective}", "Collectives in which ranks wait for others that are not there.",
            static_cast<double>(view.waits.size()));
    out.add("complaints", "{thing}", "GPUs, links and hosts that are not well.",
            static_cast<double>(view.complaints.size()));
    for (const trace::AlarmKindEntry& kind : trace::kAlarmKinds) {
        const auto inForce = std::ranges::count(view.alarms, kind.text, &Alarm::kind);
        out.add("alarms", "{alarm}", "Alarms in force, by kind.", static_cast<double>(inForce),
                {{"kind", std::string(kind.text)}});
    }
}

Labels labelsOf(const RankView& rank)
{
    return {{"rank", std::to_string(rank.rank)}};
}

void addParts(Figures& out, const RankView& rank)
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
        Labels labels = labelsOf(rank);
        labels.emplace_back("part", part.name);
        out.add("rank.step_part", "s", "Median time of a part of the latest steps; parts overlap.",
                seconds(rank.*(part.member)), std::move(labels));
    }
}

} // namespace

std::vector<Figure> figuresOf(const JobView& view)
{
    std::vector<const RankView*> ranks;
    for (const RankView& rank : view.ranks) {
        ranks.push_back(&rank);
    }
    std::ranges::stable_sort(ranks, {}, &RankView::rank);
    Figures out;
    addJob(out, view);
    for (const RankView* rank : ranks) {
        out.add("rank.step", "s", "Median time of the latest steps.", seconds(rank->stepNs), labelsOf(*rank));
    }
    for (const RankView* rank : ranks) {
        out.add("rank.late", "s", "Time a step that the others waited for the rank.", seconds(rank->lateNs),
                labelsOf(*rank));
    }
    for (const RankView* rank : ranks) {
        out.add("rank.step_number", "{step}", "The latest step of the rank.", number(rank->step),
                labelsOf(*rank));
    }
    for (const RankView* rank : ranks) {
        out.add("rank.up", "{rank}", "1: the rank makes progress; 0: it hangs or is silent.",
                rank->state == RankState::Running ? 1.0 : 0.0, labelsOf(*rank));
    }
    for (const RankView* rank : ranks) {
        addParts(out, *rank);
    }
    return out.take();
}

} // namespace ringside::live
