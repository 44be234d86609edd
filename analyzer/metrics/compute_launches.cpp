// SPDX-License-Identifier: Apache-2.0
#include "metrics/compute_launches.h"

#include <algorithm>

namespace ringside::metrics {

std::vector<std::size_t> chosenSteps(std::size_t count)
{
    constexpr std::size_t kMost = 64;
    std::vector<std::size_t> steps;
    for (std::size_t i = 0; i < std::min(count, kMost); ++i) {
        steps.push_back(i * count / std::min(count, kMost));
    }
    return steps;
}

std::vector<StepLaunches> computeLaunchesOf(const model::Model& model, const RankMetrics& figures,
                                            std::span<const std::size_t> steps)
{
    const model::Rank& rank = model.ranks[figures.rank];
    const trace::ProcessTrace& process = model.processOf(rank);
    const trace::KernelColumns& kernels = process.kernels;
    const auto windowOf = [&](std::size_t step) { return figures.windows[step]; };
    std::vector<std::vector<std::size_t>> rows(steps.size());
    for (std::size_t row = 0; row < kernels.size(); ++row) {
        if (!rank.owns(kernels.device[row]) ||
            model.classes[rank.process].of(kernels.name[row]) != model::KernelClass::Compute) {
            continue;
        }
        if (const auto step = values::indexAt(steps, kernels.startNs[row], windowOf)) {
            rows[*step].push_back(row);
        }
    }
    std::vector<StepLaunches> found(steps.size());
    for (std::size_t i = 0; i < steps.size(); ++i) {
        std::ranges::stable_sort(rows[i], {}, [&](std::size_t row) { return kernels.startNs[row]; });
        std::map<std::string_view, std::size_t> counts;
        for (const std::size_t row : rows[i]) {
            const std::string_view name = process.text(kernels.name[row]);
            found[i].push_back(
                {{name, counts[name]++},
                 static_cast<double>(kernels.endNs[row]) - static_cast<double>(kernels.startNs[row])});
        }
    }
    return found;
}

std::map<LaunchPosition, double> usualTimes(const std::vector<StepLaunches>& steps)
{
    std::map<LaunchPosition, std::vector<double>> all;
    for (const StepLaunches& step : steps) {
        for (const ComputeLaunch& launch : step) {
            all[launch.position].push_back(launch.ns);
        }
    }
    std::map<LaunchPosition, double> usual;
    for (auto& [position, values] : all) {
        values.resize(steps.size());
        usual[position] = model::median(std::move(values));
    }
    return usual;
}

} // namespace ringside::metrics
