// SPDX-License-Identifier: Apache-2.0
#include "compare/scaling.h"

#include "compare/series.h"
#include "metrics/step_times.h"
#include "report/sentences.h"

#include <ringside/error.h>

#include <fmt/format.h>

#include <algorithm>

namespace ringside::compare {
namespace {

using metrics::Breakdown;

std::optional<double> medianOf(const report::Report& report, std::int64_t Breakdown::*part)
{
    const std::vector<double> series =
        stepSeries(report, [part](const Breakdown& step) { return static_cast<double>(step.*part); });
    return series.empty() ? std::nullopt : std::optional(summarize(series).median);
}

ScalingPoint pointOf(const report::Report& report)
{
    ScalingPoint point;
    point.run = report.model.trace.path.filename().string();
    point.ranks = report.model.worldSize;
    point.stepNs = summarize(metrics::stepTimes(report.model, report.metrics));
    if (point.stepNs.count == 0 || point.stepNs.median <= 0) {
        throw Error(ErrorCode::Unusable, fmt::format("{} has no steps with known times", point.run),
                    "Mark steps (see docs/guide.md), and record more of them.");
    }
    point.parts = {medianOf(report, &Breakdown::computeNs),
                   medianOf(report, &Breakdown::exposedCommunicationNs),
                   medianOf(report, &Breakdown::exposedCopyNs), medianOf(report, &Breakdown::idleNs)};
    return point;
}

void addSpeedUps(Scaling& scaling)
{
    const ScalingPoint& first = scaling.points.front();
    for (ScalingPoint& point : scaling.points) {
        const double ratio = static_cast<double>(point.ranks) / static_cast<double>(first.ranks);
        const double faster = first.stepNs.median / point.stepNs.median;
        point.speedUp = scaling.work == Work::PerRank ? ratio * faster : faster;
        point.efficiency = point.speedUp / ratio;
    }
}

/// A part should take as long as in the first run if each rank does the same work, else its share of that.
void findLoss(Scaling& scaling)
{
    const ScalingPoint& first = scaling.points.front();
    const ScalingPoint& last = scaling.points.back();
    const double share = scaling.work == Work::PerRank
                             ? 1
                             : static_cast<double>(first.ranks) / static_cast<double>(last.ranks);
    const auto look = [&](const char* name, std::optional<double> StepParts::*part) {
        if (first.parts.*part && last.parts.*part) {
            const double loss = *(last.parts.*part) - share * *(first.parts.*part);
            if (loss > scaling.biggestLossNs) {
                scaling.biggestLoss = name;
                scaling.biggestLossNs = loss;
            }
        }
    };
    look("compute", &StepParts::compute);
    look("exposed communication", &StepParts::exposedCommunication);
    look("exposed copies", &StepParts::exposedCopy);
    look("idle GPUs", &StepParts::idle);
}

void remark(Scaling& scaling, const std::vector<report::Report>& runs)
{
    const auto emulated =
        std::count_if(runs.begin(), runs.end(), [](const report::Report& run) { return run.model.emulated; });
    if (emulated != 0 && emulated != static_cast<std::ptrdiff_t>(runs.size())) {
        scaling.remarks.emplace_back("Some of the runs were emulated: their times are not comparable.");
    } else if (emulated != 0) {
        scaling.remarks.emplace_back(report::kAllEmulated);
    }
    for (const report::Report& run : runs) {
        if (run.model.stepsGuessed()) {
            scaling.remarks.push_back(report::guessedRemark(run.model, run.model.trace.path.string()));
        }
    }
    const auto& first = scaling.points.front();
    const auto& last = scaling.points.back();
    constexpr double kMuchLess = 0.8;
    if (scaling.work == Work::PerRank && first.parts.compute && last.parts.compute &&
        *last.parts.compute < kMuchLess * *first.parts.compute) {
        scaling.remarks.emplace_back(
            "Compute takes less time on more ranks: if the ranks share the same work (a "
            "fixed global batch), give --shared-work.");
    }
    for (const ScalingPoint& point : scaling.points) {
        if (point.stepNs.count < kFewestValues) {
            scaling.remarks.push_back(fmt::format("{}: only {} steps.", point.run, point.stepNs.count));
        }
    }
}

} // namespace

Scaling scalingOf(const std::vector<report::Report>& runs, Work work)
{
    Scaling scaling;
    scaling.work = work;
    for (const report::Report& run : runs) {
        scaling.points.push_back(pointOf(run));
    }
    std::stable_sort(scaling.points.begin(), scaling.points.end(),
                     [](const ScalingPoint& a, const ScalingPoint& b) { return a.ranks < b.ranks; });
    if (scaling.points.empty() || scaling.points.front().ranks == scaling.points.back().ranks ||
        scaling.points.front().ranks < 1) {
        throw Error(ErrorCode::Usage, "scaling compares runs on different numbers of ranks",
                    "Record the job on 1, 2, 4 ... ranks and name all those runs.");
    }
    addSpeedUps(scaling);
    findLoss(scaling);
    remark(scaling, runs);
    return scaling;
}

} // namespace ringside::compare
