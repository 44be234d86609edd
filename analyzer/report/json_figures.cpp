// SPDX-License-Identifier: Apache-2.0
#include "report/json_figures.h"

#include "report/links.h"
#include "rules/shared/support.h"

#include <algorithm>
#include <functional>

namespace ringside::report {
namespace {

/// Returns a rank's positions in the dimensions, counted from 1.
Json placeJson(const model::ParallelLayout& layout, std::size_t rank)
{
    if (!layout.isKnown()) {
        return nullptr;
    }
    const model::ParallelPlace& place = layout.places[rank];
    return {{"stage", orNull(place.stage)},
            {"replica", orNull(place.replica)},
            {"tensor", orNull(place.tensor)},
            {"context", orNull(place.context)},
            {"expert", orNull(place.expert)}};
}

Json spreadJson(const std::optional<metrics::Spread>& spread)
{
    Json result = {{"mean", nullptr},   {"min", nullptr}, {"max", nullptr},
                   {"spread", nullptr}, {"cv", nullptr},  {"time_stddev", nullptr}};
    if (spread) {
        result = {{"mean", spread->mean}, {"min", spread->min},
                  {"max", spread->max},   {"spread", spread->spread},
                  {"cv", spread->cv},     {"time_stddev", orNull(spread->timeStddev)}};
    }
    return result;
}

/// Returns the share of communication that compute hides; null if there is none.
Json overlapJson(const metrics::Breakdown& part)
{
    return part.communicationNs > 0
               ? Json(static_cast<double>(part.overlapNs) / static_cast<double>(part.communicationNs))
               : Json(nullptr);
}

/// Null if no device step was measured. Of a recording without steps, a second.
std::optional<std::int64_t> meanStepNs(const Report& report)
{
    const metrics::RunMetrics& run = report.metrics;
    return run.ranks.empty() || run.stepNs() <= 0 ? std::nullopt : std::optional(run.stepNs());
}

/// Figures of a rank: totals, or medians of a step.
struct RankPart {
    metrics::Breakdown figures;
    std::optional<double> ratio;
    double utilization = 0;
    double usefulUtilization = 0;
    std::int64_t lastArrivals = 0;
};

RankPart totalOf(const metrics::RankMetrics& rank)
{
    return {rank.total, rank.total.ratio(), rank.total.utilization(), rank.total.usefulUtilization(),
            rank.lastArrivals};
}

RankPart medianOf(const metrics::RankMetrics& rank)
{
    return {rank.median, rank.medianRatio(), rank.medianOf(&metrics::Breakdown::utilization),
            rank.medianOf(&metrics::Breakdown::usefulUtilization), rank.medianLastArrivals};
}

/// Returns figures per second, for a recording without steps.
RankPart perSecondOf(const metrics::RankMetrics& rank)
{
    const auto last = std::llround(static_cast<double>(rank.lastArrivals) / std::max(1e-9, rank.periods));
    return {rank.mean(), rank.total.ratio(), rank.total.utilization(), rank.total.usefulUtilization(), last};
}

/// `run` determines which values were measured.
Json partJson(const RankPart& rank, const metrics::RunMetrics& run)
{
    const metrics::Breakdown& part = rank.figures;
    const bool arrivals = run.waitsKnown();
    return {{"step_ns", part.stepNs},
            {"compute_ns", part.computeNs},
            {"communication_ns", part.communicationNs},
            {"copy_ns", part.copyNs},
            {"overlap_ns", part.overlapNs},
            {"exposed_communication_ns", part.exposedCommunicationNs},
            {"exposed_copy_ns", part.exposedCopyNs},
            {"idle_ns", part.idleNs},
            {"comm_compute_ratio", orNull(rank.ratio)},
            {"gpu_utilization", rank.utilization},
            {"useful_utilization", run.usefulMeasured() ? Json(rank.usefulUtilization) : Json(nullptr)},
            {"wait_ns", arrivals ? Json(part.waitNs) : Json(nullptr)},
            {"transfer_ns", arrivals ? Json(part.transferNs) : Json(nullptr)},
            {"last_arrivals", arrivals ? Json(rank.lastArrivals) : Json(nullptr)}};
}

Json idleJson(const metrics::RankMetrics& rank, const std::function<std::int64_t(std::int64_t)>& figure)
{
    Json idle = Json::object();
    for (std::size_t i = 0; i < metrics::kIdleClasses; ++i) {
        idle[std::string(metrics::idleClassName(static_cast<metrics::IdleClass>(i)))] =
            figure(rank.idle.ns[i]);
    }
    return idle;
}

/// Returns the totals divided by the number of steps, or by the seconds of a recording without steps.
Json meanJson(const metrics::RankMetrics& rank, bool arrivals)
{
    const metrics::Breakdown mean = rank.mean();
    return {{"step_ns", mean.stepNs},
            {"compute_ns", mean.computeNs},
            {"communication_ns", mean.communicationNs},
            {"exposed_communication_ns", mean.exposedCommunicationNs},
            {"exposed_copy_ns", mean.exposedCopyNs},
            {"idle_ns", mean.idleNs},
            {"wait_ns", arrivals ? Json(mean.waitNs) : Json(nullptr)},
            {"transfer_ns", arrivals ? Json(mean.transferNs) : Json(nullptr)},
            {"idle_classes_ns", idleJson(rank, [&rank](std::int64_t ns) { return rank.ofAStep(ns); })}};
}

Json measuredRank(const Report& report, const metrics::RankMetrics& rank)
{
    const bool arrivals = report.metrics.waitsKnown();
    Json result = {{"rank", report.model.ranks[rank.rank].rank}};
    result.update(partJson(totalOf(rank), report.metrics));
    result["lost_ns"] = arrivals ? Json(rank.lostNs) : Json(nullptr);
    result["overlap_share"] = overlapJson(rank.total);
    result["idle_classes_ns"] = idleJson(rank, std::identity());
    result["mean"] = meanJson(rank, arrivals);
    const bool recording = report.model.recordingIsStep();
    result["per_step"] = recording ? Json(nullptr) : partJson(medianOf(rank), report.metrics);
    if (recording) {
        result["per_second"] = partJson(perSecondOf(rank), report.metrics);
    }
    return result;
}

/// Returns the row of a rank without device data, in which all values are null.
Json unmeasuredRank(const model::Rank& rank)
{
    Json result = {{"rank", rank.rank}};
    const Json names = partJson({}, {});
    for (const auto& [key, value] : names.items()) {
        result[key] = nullptr;
    }
    for (const char* key : {"lost_ns", "overlap_share", "idle_classes_ns", "mean", "per_step"}) {
        result[key] = nullptr;
    }
    return result;
}

/// Adds what CUDA events measured on a rank; other values were not measured.
void addTimedCalls(Json& rank, const metrics::RunMetrics& run, std::size_t index)
{
    const auto timed = std::ranges::find(run.timed.ranks, index, &metrics::TimedRank::rank);
    if (timed == run.timed.ranks.end() || run.timed.arrived.empty()) {
        return;
    }
    rank["communication_ns"] = timed->communicationNs;
    rank["wait_ns"] = timed->waitNs;
    rank["transfer_ns"] = timed->transferNs;
    rank["last_arrivals"] = timed->lastArrivals;
    rank["lost_ns"] = timed->lostNs;
    const auto steps = std::max<std::int64_t>(1, std::ssize(run.timed.steps));
    rank["mean"] = {{"communication_ns", timed->communicationNs / steps},
                    {"wait_ns", timed->waitNs / steps},
                    {"transfer_ns", timed->transferNs / steps}};
}

} // namespace

Json summaryJson(const Report& report)
{
    const metrics::RunMetrics& run = report.metrics;
    const std::optional<std::int64_t> mean = meanStepNs(report);
    return {{"comm_compute_ratio", orNull(run.ratio)},
            {"communication_share", orNull(run.communicationShare)},
            {"overlap_share", run.ranks.empty() ? Json(nullptr) : overlapJson(run.total())},
            {"gpu_utilization", spreadJson(run.utilization)},
            {"useful_utilization", spreadJson(run.usefulUtilization)},
            {"link_health", healthName(linkHealth(report))},
            {"steps_per_s", mean ? Json(1e9 / static_cast<double>(*mean)) : Json(nullptr)},
            {"samples_per_s", nullptr}};
}

Json stepsJson(const Report& report)
{
    return {{"median_ns", orNull(report.metrics.stepMedianNs)},
            {"p99_ns", orNull(report.metrics.stepP99Ns)},
            {"mean_ns", orNull(meanStepNs(report))}};
}

Json ranksJson(const Report& report)
{
    Json result = Json::array();
    for (std::size_t i = 0; i < report.model.ranks.size(); ++i) {
        const auto& ranks = report.metrics.ranks;
        const auto measured =
            std::find_if(ranks.begin(), ranks.end(), [&](const auto& rank) { return rank.rank == i; });
        result.push_back(measured == ranks.end() ? unmeasuredRank(report.model.ranks[i])
                                                 : measuredRank(report, *measured));
        result.back()["place"] = placeJson(report.model.layout, i);
        addTimedCalls(result.back(), report.metrics, i);
    }
    return result;
}

} // namespace ringside::report
