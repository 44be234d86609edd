// SPDX-License-Identifier: Apache-2.0
#include "compare/series.h"

#include "rules/shared/support.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

namespace ringside::compare {
namespace {

std::size_t stepCount(const metrics::RunMetrics& run)
{
    std::size_t count = run.ranks.empty() ? 0 : run.ranks.front().steps.size();
    for (const metrics::RankMetrics& rank : run.ranks) {
        count = std::min(count, rank.steps.size());
    }
    return count;
}

/// Returns the place of the window in which a time lies, among windows that are sorted and do not overlap.
/// Null: in none.
std::optional<std::size_t> placeOf(std::span<const model::Interval> windows, std::int64_t ns)
{
    const auto after = std::upper_bound(windows.begin(), windows.end(), ns,
                                        [](std::int64_t t, const model::Interval& w) { return t < w.start; });
    if (after == windows.begin() || ns >= std::prev(after)->end) {
        return std::nullopt;
    }
    return static_cast<std::size_t>(std::prev(after) - windows.begin());
}

void add(Load& load, std::size_t step, double ns)
{
    load.ns += ns;
    ++load.count;
    load.stepNs.resize(std::max(load.stepNs.size(), step + 1));
    load.stepNs[step] += ns;
}

/// Returns the analyzed steps of a rank whose rows are in the model.
std::span<const model::Interval> windowsWithRows(const report::Report& report,
                                                 const metrics::RankMetrics& rank)
{
    const std::span<const model::Interval> all(rank.windows);
    return all.last(std::min(report.stepsWithRows.value_or(all.size()), all.size()));
}

void addKernels(const report::Report& report, const metrics::RankMetrics& rank,
                std::map<trace::StringId, Load>& loads)
{
    const auto windows = windowsWithRows(report, rank);
    const model::Rank& who = report.model.ranks[rank.rank];
    const trace::KernelColumns& kernels = report.model.processOf(who).kernels;
    for (std::size_t i = 0; i < kernels.size(); ++i) {
        const auto step = who.owns(kernels.device[i]) ? placeOf(windows, kernels.startNs[i]) : std::nullopt;
        if (step) {
            add(loads[kernels.name[i]], *step, static_cast<double>(kernels.endNs[i] - kernels.startNs[i]));
        }
    }
}

void merge(Load& whole, const Load& part)
{
    whole.ns += part.ns;
    whole.count += part.count;
    whole.stepNs.resize(std::max(whole.stepNs.size(), part.stepNs.size()));
    for (std::size_t step = 0; step < part.stepNs.size(); ++step) {
        whole.stepNs[step] += part.stepNs[step];
    }
}

/// Turns sums over `all` steps of all ranks into means per step and rank, and each step's sum into a mean
/// over ranks. A step without the load has 0 of it.
void divide(std::map<std::string, Load>& loads, std::size_t all, std::size_t steps)
{
    const double whole = static_cast<double>(std::max<std::size_t>(1, all));
    for (auto& [name, load] : loads) {
        load.ns /= whole;
        load.count /= whole;
        load.stepNs.resize(steps);
        for (double& ns : load.stepNs) {
            ns *= static_cast<double>(steps) / whole;
        }
    }
}

} // namespace

std::vector<double> stepSeries(const report::Report& report, const StepFigure& figure)
{
    const metrics::RunMetrics& run = report.metrics;
    std::vector<double> series;
    for (std::size_t step = 0; step < stepCount(run); ++step) {
        double sum = 0;
        for (const metrics::RankMetrics& rank : run.ranks) {
            sum += figure(rank.steps[step]);
        }
        if (!std::isnan(sum)) {
            series.push_back(sum / static_cast<double>(run.ranks.size()));
        }
    }
    return series;
}

std::map<std::string, Load> kernelLoads(const report::Report& report)
{
    std::map<std::string, Load> loads;
    std::size_t all = 0;
    std::size_t steps = 0; // of the rank with most
    for (const metrics::RankMetrics& rank : report.metrics.ranks) {
        std::map<trace::StringId, Load> byId;
        addKernels(report, rank, byId);
        for (const auto& [id, load] : byId) {
            merge(loads[std::string(report.model.processOf(report.model.ranks[rank.rank]).text(id))], load);
        }
        all += windowsWithRows(report, rank).size();
        steps = std::max(steps, windowsWithRows(report, rank).size());
    }
    divide(loads, all, steps);
    return loads;
}

std::map<std::string, Load> collectiveLoads(const report::Report& report)
{
    std::map<std::string, Load> loads;
    std::size_t first = 0; // of a run that was read in stretches, the first step with rows
    if (report.stepsWithRows && !report.metrics.arrived.empty()) {
        first = std::ranges::min(report.metrics.arrived, {}, &metrics::ArrivedOperation::step).step;
    }
    for (const metrics::ArrivedOperation& entry : report.metrics.arrived) {
        const model::Operation& operation = report.model.operations[entry.operation];
        Load& load = loads[fmt::format(
            "{} of {} on {} ranks", model::collectiveName(operation.kind),
            operation.bytes ? rules::byteText(static_cast<double>(*operation.bytes)) : "unknown size",
            operation.size)];
        add(load, entry.step - first, static_cast<double>(entry.times.transferNs()));
    }
    const metrics::RunMetrics& run = report.metrics;
    const std::size_t all = run.ranks.empty() ? run.timed.steps.size() : stepCount(run);
    const std::size_t steps = report.stepsWithRows.value_or(all);
    divide(loads, steps, steps);
    return loads;
}

} // namespace ringside::compare
