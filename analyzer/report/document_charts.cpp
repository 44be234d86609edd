// SPDX-License-Identifier: Apache-2.0
#include "metrics/lateness.h"
#include "report/document.h"
#include "rules/shared/support.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ringside::report {
namespace {

using document::Shade;
using metrics::Breakdown;

struct PartOfStep {
    const char* name;
    Shade shade;
    std::int64_t (*ns)(const Breakdown&);
};
/// The parts sum to the step. Waiting is the part of exposed communication before the last rank arrived.
constexpr std::array kParts{
    PartOfStep{"compute", Shade::Compute, [](const Breakdown& b) { return b.computeNs; }},
    PartOfStep{"waiting for the last rank", Shade::Wait, [](const Breakdown& b) { return b.exposedWaitNs; }},
    PartOfStep{"exposed communication", Shade::Communication,
               [](const Breakdown& b) { return b.exposedCommunicationNs - b.exposedWaitNs; }},
    PartOfStep{"exposed copy", Shade::Copy, [](const Breakdown& b) { return b.exposedCopyNs; }},
    PartOfStep{"idle", Shade::Idle, [](const Breakdown& b) { return b.idleNs; }},
};

/// Values by rank (as RunMetrics::ranks), then by step.
using StepValues = std::vector<std::vector<std::int64_t>>;

StepValues stepValues(const Report& report)
{
    if (report.metrics.waitsKnown()) {
        return metrics::latenessBySteps(report.model, report.metrics);
    }
    StepValues values;
    for (const metrics::RankMetrics& rank : report.metrics.ranks) {
        std::ranges::transform(rank.steps, std::back_inserter(values.emplace_back()), &Breakdown::stepNs);
    }
    return values;
}

/// Returns the largest value of each of `columns` groups of neighbouring steps, over the ranks from `first`
/// to before `last`.
std::vector<double> largestOf(const StepValues& values, std::size_t first, std::size_t last,
                              std::size_t steps, std::size_t columns, double least)
{
    std::vector<double> row(columns, least);
    for (std::size_t rank = first; rank < last; ++rank) {
        for (std::size_t column = 0; column < columns; ++column) {
            const std::size_t end = std::min((column + 1) * steps / columns, values[rank].size());
            for (std::size_t step = column * steps / columns; step < end; ++step) {
                row[column] = std::max(row[column], static_cast<double>(values[rank][step]));
            }
        }
    }
    return row;
}

} // namespace

document::BarChart breakdownChart(const Report& report)
{
    document::BarChart chart;
    for (const PartOfStep& part : kParts) {
        chart.parts.push_back({part.name, part.shade});
    }
    for (const metrics::RankMetrics& rank : report.metrics.ranks) {
        document::BarChart::Bar& bar = chart.bars.emplace_back();
        bar.rank = report.model.ranks[rank.rank].rank;
        bar.length = rules::milliseconds(rank.ofAStep(rank.total.stepNs));
        for (const PartOfStep& part : kParts) {
            bar.ns.push_back(static_cast<double>(part.ns(rank.total)) / std::max(1e-9, rank.periods));
        }
    }
    return chart;
}

std::optional<document::HeatMap> heatMap(const Report& report)
{
    using document::HeatMap;
    const StepValues values = stepValues(report);
    const std::size_t steps = report.metrics.stepCount();
    const std::size_t columns = std::min(HeatMap::kMostColumns, steps);
    const std::size_t rows = std::min(HeatMap::kMostRows, values.size());
    HeatMap map;
    map.leastNs = report.metrics.waitsKnown() ? 0 : std::numeric_limits<double>::max();
    for (const auto& row : values) {
        for (const std::int64_t value : row) {
            map.leastNs = std::min(map.leastNs, static_cast<double>(value));
            map.mostNs = std::max(map.mostNs, static_cast<double>(value));
        }
    }
    if (columns < 2 || rows == 0 || map.mostNs <= map.leastNs) {
        return std::nullopt;
    }
    for (std::size_t row = 0; row < rows; ++row) {
        const std::size_t first = row * values.size() / rows;
        map.rows.push_back(
            {report.model.ranks[report.metrics.ranks[first].rank].rank,
             largestOf(values, first, (row + 1) * values.size() / rows, steps, columns, map.leastNs)});
    }
    if (const auto& numbers = report.model.analyzedSteps; !numbers.empty()) {
        map.firstStep = numbers.front();
        map.lastStep = numbers.back();
    }
    return map;
}

} // namespace ringside::report
