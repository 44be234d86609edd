// SPDX-License-Identifier: Apache-2.0
#include "metrics/experts.h"

#include <algorithm>
#include <array>
#include <limits>
#include <map>

namespace ringside::metrics {
namespace {

/// Compute times between the all-to-alls of one communicator, in one step of one rank, ns.
using Segments = std::vector<double>;
using MemberSegments = std::map<std::size_t, std::vector<Segments>>; ///< by index into Model::ranks, by step

std::map<std::uint64_t, MemberSegments> segmentsOf(const model::Model& model, const RunMetrics& run)
{
    std::map<std::uint64_t, MemberSegments> groups;
    for (const RankMetrics& rank : run.ranks) {
        std::map<std::uint64_t, std::pair<std::size_t, std::int64_t>> last; // step, compute before
        for (const OperationExposure& each : rank.exposures) {
            const model::Operation& operation = model.operations[each.operation];
            if (operation.kind != model::CollectiveKind::AllToAll || !operation.measured()) {
                continue;
            }
            std::vector<Segments>& steps = groups[operation.communicator][rank.rank];
            steps.resize(std::max(steps.size(), rank.steps.size()));
            const auto [before, first] =
                last.try_emplace(operation.communicator, each.step, each.computeBeforeNs);
            if (!first && before->second.first == each.step) {
                steps[each.step].push_back(static_cast<double>(each.computeBeforeNs - before->second.second));
            }
            before->second = {each.step, each.computeBeforeNs};
        }
    }
    return groups;
}

struct Sums {
    double excess = 0;
    double mean = 0;
    [[nodiscard]] double share() const { return mean > 0 ? excess / mean : 0.0; }
};

/// Adds for each segment of one step how far the longest member is above the mean of the members.
void addStep(const MemberSegments& members, std::size_t step, std::array<Sums, 2>& sums,
             std::map<std::size_t, double>& excessOf)
{
    std::size_t segments = std::numeric_limits<std::size_t>::max();
    for (const auto& [rank, steps] : members) {
        segments = std::min(segments, step < steps.size() ? steps[step].size() : 0);
    }
    for (std::size_t i = 0; i < segments; ++i) {
        double most = 0;
        double mean = 0;
        for (const auto& [rank, steps] : members) {
            most = std::max(most, steps[step][i]);
            mean += steps[step][i] / static_cast<double>(members.size());
        }
        sums[i % 2].excess += most - mean;
        sums[i % 2].mean += mean;
        for (const auto& [rank, steps] : members) {
            excessOf[rank] += i % 2 == 0 ? steps[step][i] - mean : 0;
        }
    }
}

ExpertFigures figuresOf(const MemberSegments& members, std::size_t steps)
{
    ExpertFigures figures;
    figures.steps = steps;
    std::array<Sums, 2> sums; // expert work, other work
    std::map<std::size_t, std::size_t> fullestIn;
    for (std::size_t step = 0; step < steps; ++step) {
        std::map<std::size_t, double> excessOf;
        addStep(members, step, sums, excessOf);
        const auto fullest =
            std::ranges::max_element(excessOf, {}, [](const auto& entry) { return entry.second; });
        if (fullest != excessOf.end()) {
            ++fullestIn[fullest->first];
        }
    }
    for (const auto& [rank, times] : fullestIn) {
        if (times > figures.fullestOfSteps) {
            figures.fullest = rank;
            figures.fullestOfSteps = times;
        }
    }
    for (const auto& [rank, unused] : members) {
        figures.ranks.push_back(rank);
    }
    figures.excess = sums[0].share();
    figures.otherExcess = sums[1].share();
    figures.costNs = std::llround(sums[0].excess / static_cast<double>(std::max<std::size_t>(1, steps)));
    return figures;
}

} // namespace

ExpertFigures expertsOf(const model::Model& model, const RunMetrics& run)
{
    ExpertFigures worst;
    for (const auto& [communicator, members] : segmentsOf(model, run)) {
        const ExpertFigures figures = figuresOf(members, run.stepCount());
        if (members.size() >= 2 && (worst.ranks.empty() || figures.costNs > worst.costNs)) {
            worst = figures;
        }
    }
    return worst;
}

} // namespace ringside::metrics
