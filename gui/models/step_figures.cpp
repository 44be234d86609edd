// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/step_figures.h"

#include <fmt/format.h>

#include <array>

namespace ringside::gui {
namespace {

using metrics::Breakdown;

constexpr double kMillisecond = 1e6;

constexpr std::array kFigures{
    StepFigure{"step time, ms",
               [](const Breakdown& b) { return static_cast<double>(b.stepNs) / kMillisecond; }},
    StepFigure{"compute, ms",
               [](const Breakdown& b) { return static_cast<double>(b.computeNs) / kMillisecond; }},
    StepFigure{"waiting for other ranks, ms",
               [](const Breakdown& b) { return static_cast<double>(b.waitNs) / kMillisecond; }},
    StepFigure{
        "exposed communication, ms",
        [](const Breakdown& b) { return static_cast<double>(b.exposedCommunicationNs) / kMillisecond; }},
    StepFigure{"idle, ms", [](const Breakdown& b) { return static_cast<double>(b.idleNs) / kMillisecond; }},
    StepFigure{"useful utilization, %", [](const Breakdown& b) { return 100 * b.usefulUtilization(); }},
};

} // namespace

std::span<const StepFigure> stepFigures()
{
    return kFigures;
}

report::Table stepTable(const report::Report& report, const StepFigure& figure)
{
    constexpr std::size_t kMost = 200;
    const std::size_t all = report.metrics.stepCount();
    const std::size_t shown = std::min(kMost, all);
    report::Table table{{"rank"}, {}};
    for (std::size_t i = 0; i < shown; ++i) {
        table.header.push_back(i < report.model.analyzedSteps.size()
                                   ? fmt::format("step {}", report.model.analyzedSteps[i])
                                   : fmt::format("{}.", i + 1));
    }
    if (shown < all) {
        table.header.push_back(fmt::format("{} more", all - shown));
    }
    for (const metrics::RankMetrics& rank : report.metrics.ranks) {
        auto& row = table.rows.emplace_back();
        row.push_back(fmt::to_string(report.model.ranks[rank.rank].rank));
        for (std::size_t i = 0; i < std::min(shown, rank.steps.size()); ++i) {
            row.push_back(fmt::format("{:.2f}", figure.value(rank.steps[i])));
        }
    }
    return table;
}

} // namespace ringside::gui
