// SPDX-License-Identifier: Apache-2.0
// Jobs without step marks, drawn at random from the frameworks' patterns, and what is found of their steps.
#pragma once
#include "model/model.h"
#include "support/framework_job.h"

#include <random>
#include <vector>

namespace ringside::test {

/// What a job is drawn from.
struct Draws {
    std::vector<int> layers, microBatches, stages;
    std::uint64_t firstSeed = 1;
};

struct DrawnJob {
    const FrameworkPattern* pattern = nullptr;
    JobShape shape;
    JobTrouble trouble;
    int steps = 0;
    std::uint64_t seed = 0;
};

[[nodiscard]] inline DrawnJob drawJob(std::span<const FrameworkPattern> patterns, const Draws& draws,
                                      std::uint64_t draw)
{
    std::mt19937_64 random(draws.firstSeed + draw);
    const auto among = [&](const std::vector<int>& values) { return values[random() % values.size()]; };
    const auto between = [&](double low, double high) {
        return std::uniform_real_distribution<double>(low, high)(random);
    };
    DrawnJob job;
    job.seed = draws.firstSeed + draw;
    job.pattern = &patterns[draw % patterns.size()];
    JobShape& shape = job.shape;
    shape.layers = among(draws.layers);
    shape.microBatches = among(draws.microBatches);
    shape.stages = among(draws.stages);
    shape.every = job.pattern->extra == Extra::Logging ? 10 : 50;
    shape.layer = nanoseconds(static_cast<std::int64_t>(between(0.2e6, 2e6)));
    const double body = 3.0 * static_cast<double>(shape.layer.count()) * shape.layers;
    shape.optimizer = nanoseconds(static_cast<std::int64_t>(body * between(0.03, 0.2)));
    shape.data = nanoseconds(static_cast<std::int64_t>(body * between(0.01, 0.1)));
    job.trouble.jitter = between(0.05, 0.3);
    job.trouble.slowness = between(1.0, 1.3);
    job.trouble.missing = static_cast<int>(random() % 5);
    job.trouble.firstShare = between(0.05, 0.95);
    job.trouble.kernels = random() % 2 == 0;
    job.steps = job.pattern->extra == Extra::None ? 40 + static_cast<int>(random() % 60)
                                                  : 160 + static_cast<int>(random() % 90);
    return job;
}

enum class Found : std::uint8_t { Right, Nothing, Wrong };

/// One step more or less at each edge, and one for each record that is missing, is right. The steps of the
/// second rank are those that both recorded.
[[nodiscard]] inline Found judge(const model::Model& model, const JobTruth& truth, const JobTrouble& trouble)
{
    const double slack = 2 + 2 * trouble.missing;
    Found worst = Found::Right;
    for (const model::Rank& rank : model.ranks) {
        const auto found = static_cast<double>(rank.steps.size());
        const bool right = std::abs(found - static_cast<double>(truth.steps)) <= slack;
        worst = right ? worst : rank.steps.empty() ? std::max(worst, Found::Nothing) : Found::Wrong;
    }
    return worst;
}

} // namespace ringside::test
