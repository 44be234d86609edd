// SPDX-License-Identifier: Apache-2.0
#include "metrics/step_times.h"

namespace ringside::metrics {
namespace {

using Rows = std::vector<std::vector<double>>; ///< of a rank each

/// Returns means over ranks by position. The series ends at the first position that a rank lacks.
std::vector<double> meansByPlace(const Rows& rows)
{
    std::vector<double> means;
    for (std::size_t place = 0; !rows.empty(); ++place) {
        double sum = 0;
        for (const std::vector<double>& row : rows) {
            if (place == row.size()) {
                return means;
            }
            sum += row[place];
        }
        means.push_back(sum / static_cast<double>(rows.size()));
    }
    return means;
}

Rows hostSteps(const model::Model& model)
{
    Rows rows;
    for (const model::Rank& rank : model.ranks) {
        std::vector<double> row;
        for (std::size_t i = 1; i + 1 < rank.steps.size(); ++i) {
            if (!rank.steps[i].pausedAfter) {
                row.push_back(static_cast<double>(rank.steps[i].host.length()));
            }
        }
        if (!row.empty()) {
            rows.push_back(std::move(row));
        }
    }
    return rows;
}

} // namespace

std::vector<double> deviceStepTimes(const RunMetrics& run)
{
    Rows rows;
    for (const RankMetrics& rank : run.ranks) {
        std::vector<double>& row = rows.emplace_back();
        for (const Breakdown& step : rank.steps) {
            row.push_back(static_cast<double>(step.stepNs));
        }
    }
    return meansByPlace(rows);
}

std::vector<double> stepTimes(const model::Model& model, const RunMetrics& run)
{
    if (model.recordingIsStep()) {
        return {};
    }
    return run.ranks.empty() ? meansByPlace(hostSteps(model)) : deviceStepTimes(run);
}

} // namespace ringside::metrics
