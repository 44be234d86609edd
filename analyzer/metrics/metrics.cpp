// SPDX-License-Identifier: Apache-2.0
#include "metrics/metrics.h"

namespace ringside::metrics {

Breakdown RankMetrics::mean() const
{
    Breakdown result;
    for (const auto figure : values::kBreakdownFigures) {
        result.*figure = ofAStep(total.*figure);
    }
    return result;
}

double RankMetrics::medianOf(double (Breakdown::*share)() const) const
{
    std::vector<double> values;
    for (const Breakdown& step : steps) {
        values.push_back((step.*share)());
    }
    return model::median(std::move(values));
}

std::optional<double> RankMetrics::medianRatio() const
{
    std::vector<double> values;
    for (const Breakdown& step : steps) {
        if (const auto ratio = step.ratio()) {
            values.push_back(*ratio);
        }
    }
    return values.empty() ? std::nullopt : std::optional(model::median(std::move(values)));
}

std::int64_t RankMetrics::ofAStep(std::int64_t ns) const
{
    return periods > 0 ? static_cast<std::int64_t>(static_cast<double>(ns) / periods) : ns;
}

std::optional<double> RunMetrics::arrivalShare() const
{
    double whole = 0;
    double known = 0;
    for (const RankMetrics& rank : ranks) {
        whole += rank.communicationNs;
        known += rank.arrivedNs;
    }
    return whole > 0 ? std::optional(known / whole) : std::nullopt;
}

Breakdown RunMetrics::total() const
{
    Breakdown sum;
    for (const RankMetrics& rank : ranks) {
        sum += rank.total;
    }
    return sum;
}

std::int64_t RunMetrics::perStep(std::int64_t Breakdown::*figure) const
{
    double all = 0;
    for (const RankMetrics& rank : ranks) {
        all += rank.periods;
    }
    return all > 0 ? static_cast<std::int64_t>(static_cast<double>(total().*figure) / all) : 0;
}

double RunMetrics::periods() const
{
    if (ranks.empty()) {
        return std::max<double>(1, static_cast<double>(timed.steps.size()));
    }
    return ranks.front().periods;
}

} // namespace ringside::metrics
