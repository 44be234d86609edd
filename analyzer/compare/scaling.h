// SPDX-License-Identifier: Apache-2.0
// Runs of one job on different numbers of ranks: the speed-up, and the part of the step with the largest
// loss.
#pragma once
#include "compare/statistics.h"
#include "report/report.h"

#include <optional>
#include <string>
#include <vector>

namespace ringside::compare {

enum class Work : std::uint8_t {
    PerRank, ///< each rank has the same work (weak scaling): more ranks process more samples
    Shared,  ///< the ranks share the same work (strong scaling): more ranks have shorter steps
};

/// Medians of a step, ns; parts are null without the device tier.
struct StepParts {
    std::optional<double> compute, exposedCommunication, exposedCopy, idle;
};

struct ScalingPoint {
    std::string run;
    std::int64_t ranks = 0;
    Summary stepNs;
    StepParts parts;
    double speedUp = 1;    ///< of throughput, relative to the run with the fewest ranks
    double efficiency = 1; ///< speed-up divided by the ratio of ranks
};

struct Scaling {
    Work work = Work::PerRank;
    std::vector<ScalingPoint> points;       ///< by ranks
    std::optional<std::string> biggestLoss; ///< the part that grew most from the first run to the last
    double biggestLossNs = 0;               ///< its growth per step
    std::vector<std::string> remarks;       ///< why the runs may not be comparable
    [[nodiscard]] bool low(double fewest) const { return points.back().efficiency < fewest; }
};

/// Throws ringside::Error: Usage if the runs do not have at least two different numbers of ranks, Unusable if
/// a run has no steps.
[[nodiscard]] Scaling scalingOf(const std::vector<report::Report>& runs, Work work);

[[nodiscard]] std::string textOf(const Scaling& scaling, double fewest, bool markdown, std::size_t width);
/// Returns ringside-scaling/1.
[[nodiscard]] std::string jsonOf(const Scaling& scaling);

} // namespace ringside::compare
