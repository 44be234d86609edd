// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/step_figures.h"

#include "metrics/lateness.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

namespace ringside::gui {
namespace {

using metrics::Breakdown;

template <class Figure>
StepValues fromBreakdowns(const report::Report& report, const Figure& figure)
{
    StepValues values;
    for (const metrics::RankMetrics& rank : report.metrics.ranks) {
        std::vector<double>& row = values.emplace_back();
        std::ranges::transform(rank.steps, std::back_inserter(row), figure);
    }
    return values;
}

template <std::int64_t Breakdown::*Part>
StepValues times(const report::Report& report)
{
    return fromBreakdowns(report, [](const Breakdown& step) { return static_cast<double>(step.*Part); });
}

StepValues lateness(const report::Report& report)
{
    StepValues values;
    for (const auto& steps : metrics::latenessBySteps(report.model, report.metrics)) {
        std::vector<double>& row = values.emplace_back();
        std::ranges::transform(steps, std::back_inserter(row),
                               [](std::int64_t ns) { return static_cast<double>(ns); });
    }
    return values;
}

StepValues usefulUtilization(const report::Report& report)
{
    return fromBreakdowns(report, [](const Breakdown& step) { return step.usefulUtilization(); });
}

document::Cell milliseconds(std::optional<double> ns)
{
    return document::millisecondsCell(ns);
}

document::Cell share(std::optional<double> value)
{
    return document::shareCell(value);
}

constexpr std::size_t kLateness = 1;
constexpr std::array kFigures{
    StepFigure{"step time, ms", times<&Breakdown::stepNs>, milliseconds},
    StepFigure{"lateness at collectives, ms", lateness, milliseconds, true},
    StepFigure{"compute, ms", times<&Breakdown::computeNs>, milliseconds},
    StepFigure{"waiting for other ranks, ms", times<&Breakdown::waitNs>, milliseconds, true},
    StepFigure{"exposed communication, ms", times<&Breakdown::exposedCommunicationNs>, milliseconds, true},
    StepFigure{"idle, ms", times<&Breakdown::idleNs>, milliseconds, true},
    StepFigure{"useful utilization", usefulUtilization, share},
};

} // namespace

std::span<const StepFigure> stepFigures()
{
    return kFigures;
}

std::size_t defaultFigure(const report::Report& report)
{
    const bool late = std::ranges::any_of(report.findings, [](const rules::Finding& finding) {
        return finding.limit == rules::Limit::LateRank;
    });
    return late && report.metrics.arrivalsMeasured() ? kLateness : 0;
}

document::Table stepTable(const report::Report& report, const StepFigure& figure)
{
    constexpr std::size_t kMost = 200;
    const std::size_t all = report.metrics.stepCount();
    const std::size_t shown = std::min(kMost, all);
    document::Table table{{"rank"}, {}};
    for (std::size_t i = 0; i < shown; ++i) {
        table.header.push_back(i < report.model.analyzedSteps.size()
                                   ? fmt::format("step {}", report.model.analyzedSteps[i])
                                   : fmt::format("{}.", i + 1));
    }
    if (shown < all) {
        table.header.push_back(fmt::format("{} more", all - shown));
    }
    const StepValues values = figure.values(report);
    for (std::size_t r = 0; r < report.metrics.ranks.size(); ++r) {
        auto& row = table.rows.emplace_back();
        row.emplace_back(report.model.ranks[report.metrics.ranks[r].rank].rank);
        for (std::size_t i = 0; i < shown; ++i) {
            const bool known = r < values.size() && i < values[r].size();
            row.push_back(figure.cellOf(known ? std::optional(values[r][i]) : std::nullopt));
        }
    }
    return table;
}

} // namespace ringside::gui
