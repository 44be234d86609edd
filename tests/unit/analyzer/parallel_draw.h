// SPDX-License-Identifier: Apache-2.0
// Random jobs of several process groups with the expected result of the report, which is known before the
// analysis.
#pragma once
#include "support/parallel_job.h"

#include <initializer_list>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace ringside::test {

/// A job with one fault, or none, and what a report has to name first.
struct DrawnParallelJob {
    ParallelShape shape;
    PlantedFault fault;
    std::string_view rule;           ///< empty: nothing of these
    std::vector<std::int64_t> ranks; ///< that it names
};

inline std::vector<std::int64_t> ranksOfStage(const ParallelShape& shape, int stage)
{
    std::vector<std::int64_t> ranks;
    for (int rank = 0; rank < shape.ranks(); ++rank) {
        if (shape.stageOf(rank) == stage) {
            ranks.push_back(rank);
        }
    }
    return ranks;
}

class ParallelJobDrawer final {
public:
    explicit ParallelJobDrawer(std::uint64_t seed) : m_random(seed), m_seed(seed) {}

    DrawnParallelJob draw()
    {
        DrawnParallelJob job;
        job.shape = shape();
        switch (m_seed % 8) {
        case 0:
            return job;
        case 1:
            job.shape.replicas = pick({2, 4});
            job.shape.experts = false;
            job.fault = {ParallelFault::SlowWorker, between(0, job.shape.ranks() - 1), 0, factor()};
            job.rule = "late_rank";
            job.ranks = {job.fault.rank};
            return job;
        case 2:
            job.shape.stages = pick({2, 3, 4, 6, 8});
            job.fault = {ParallelFault::SlowStage, 0, between(0, job.shape.stages - 1), factor()};
            job.rule = "pipeline_stage_imbalance";
            job.ranks = ranksOfStage(job.shape, job.fault.stage);
            return job;
        case 3:
            job.shape.replicas = pick({2, 4});
            job.fault = {ParallelFault::UnequalSequences, 0, 0, factor()};
            job.rule = "data_skew";
            return job;
        case 4:
            job.shape.replicas = pick({2, 4});
            job.shape.steps = 28;
            job.fault = {ParallelFault::Hiccups, between(0, job.shape.ranks() - 1), 0, 0.8};
            job.rule = "step_time_jitter";
            job.ranks = {job.fault.rank};
            return job;
        case 5:
            job.shape.stages = pick({3, 4, 6, 8});
            job.fault = {ParallelFault::SlowLink, 0, between(0, job.shape.stages - 2), factor()};
            job.rule = "slow_link";
            job.ranks = {job.shape.rankAt(job.fault.stage, 0, 0),
                         job.shape.rankAt(job.fault.stage + 1, 0, 0)};
            return job;
        case 6:
            job.shape.replicas = pick({2, 4});
            job.shape.experts = false;
            job.fault = {ParallelFault::Disturbances, 0, 0, factor()};
            job.rule = "compute_jitter";
            return job;
        default:
            job.shape.replicas = 4;
            job.shape.experts = true;
            job.fault = {ParallelFault::FullExpert, between(0, job.shape.ranks() - 1), 0, 1 + factor() / 2};
            job.rule = "expert_imbalance";
            job.ranks = {job.fault.rank};
            return job;
        }
    }

private:
    int between(int low, int high) { return std::uniform_int_distribution<int>(low, high)(m_random); }
    int pick(std::initializer_list<int> values)
    {
        return values.begin()[between(0, static_cast<int>(values.size()) - 1)];
    }
    double factor() { return std::uniform_real_distribution<double>(1.4, 2.2)(m_random); }

    ParallelShape shape()
    {
        ParallelShape drawn;
        drawn.stages = pick({1, 2, 3, 4, 8});
        drawn.replicas = drawn.stages == 1 ? pick({2, 4}) : pick({1, 2, 4});
        drawn.tensor = pick({1, 1, 2});
        drawn.microBatches = pick({8, 10, 12});
        drawn.pairGroups = between(0, 2) == 0;
        drawn.hostPerStage = between(0, 2) == 0;
        drawn.steps = 16;
        drawn.noise = 0.03;
        drawn.seed = m_seed;
        return drawn;
    }

    std::mt19937_64 m_random;
    std::uint64_t m_seed;
};

/// For people.
inline std::string wordsOf(const ParallelShape& shape)
{
    return "stages " + std::to_string(shape.stages) + " replicas " + std::to_string(shape.replicas) +
           " tensor " + std::to_string(shape.tensor) + " batches " + std::to_string(shape.microBatches) +
           (shape.pairGroups ? " pairs" : "") + (shape.hostPerStage ? " hosts" : "") +
           (shape.experts ? " experts" : "");
}

} // namespace ringside::test
