// SPDX-License-Identifier: Apache-2.0
// Layouts of jobs: data parallel, pipelines, nested groups, rings. Each runs some steps and then `end`.
#pragma once
#include "hang_cases.h"

namespace ringside::test {

inline constexpr std::int64_t kWarmSteps = 12; ///< so that a small buffer has overwritten calls

/// Data parallel: buckets of different sizes, a scalar at the end.
inline void ddpStep(StuckJob& job)
{
    job.collective(0, "all_reduce", 4000);
    job.collective(0, "all_reduce", 8000);
    job.collective(0, "all_reduce", 2);
}

inline StuckJob ddp(std::int64_t ranks, const std::function<void(StuckJob&)>& end)
{
    StuckJob job(ranks);
    for (int step = 0; step < kWarmSteps; ++step) {
        ddpStep(job);
    }
    end(job);
    return job;
}

/// Stages of a pipeline with replicas: rank = replica * stages + stage.
struct Pipeline {
    Pipeline(std::int64_t stageCount, std::int64_t replicaCount)
        : stages(stageCount), replicas(replicaCount), job(stageCount * replicaCount)
    {
        for (std::int64_t replica = 0; replica < replicas; ++replica) {
            Ranks ranks;
            for (std::int64_t stage = 0; stage < stages; ++stage) {
                ranks.push_back(replica * stages + stage);
            }
            pipes.push_back(job.group("pipeline", ranks));
        }
        for (std::int64_t stage = 0; stage < stages; ++stage) {
            Ranks ranks;
            for (std::int64_t replica = 0; replica < replicas; ++replica) {
                ranks.push_back(replica * stages + stage);
            }
            data.push_back(job.group("data_parallel", ranks));
        }
    }
    void forward(std::int64_t replica)
    {
        for (std::int64_t stage = 0; stage + 1 < stages; ++stage) {
            const std::int64_t from = replica * stages + stage;
            job.message(pipes[static_cast<std::size_t>(replica)], from, from + 1);
        }
    }
    void backward(std::int64_t replica)
    {
        for (std::int64_t stage = stages - 1; stage > 0; --stage) {
            const std::int64_t from = replica * stages + stage;
            job.message(pipes[static_cast<std::size_t>(replica)], from, from - 1, 1024);
        }
    }
    void step()
    {
        for (int micro = 0; micro < 2; ++micro) {
            for (std::int64_t replica = 0; replica < replicas; ++replica) {
                forward(replica);
                backward(replica);
            }
        }
        for (const std::size_t group : data) {
            job.collective(group, "all_reduce", 70000);
        }
    }
    void warm()
    {
        for (int i = 0; i < 6; ++i) {
            step();
        }
    }
    std::int64_t stages, replicas;
    StuckJob job;
    std::vector<std::size_t> pipes, data;
};

inline StuckJob pipeline(std::int64_t stages, std::int64_t replicas,
                         const std::function<void(Pipeline&)>& end)
{
    Pipeline layout(stages, replicas);
    layout.warm();
    end(layout);
    return std::move(layout.job);
}

/// Tensor parallel pairs within data parallel groups: rank = data * 2 + tensor.
struct Nested {
    explicit Nested(std::int64_t ranks) : job(ranks)
    {
        for (std::int64_t first = 0; first < ranks; first += 2) {
            tensor.push_back(job.group("tensor_parallel", {first, first + 1}));
        }
        for (std::int64_t place = 0; place < 2; ++place) {
            Ranks members;
            for (std::int64_t rank = place; rank < ranks; rank += 2) {
                members.push_back(rank);
            }
            data.push_back(job.group("data_parallel", members));
        }
    }
    void layer()
    {
        for (const std::size_t group : tensor) {
            job.collective(group, "all_reduce", 3000);
        }
        for (const std::size_t group : data) {
            job.collective(group, "all_gather", 600);
        }
    }
    void step()
    {
        layer();
        layer();
        for (const std::size_t group : data) {
            job.collective(group, "reduce_scatter", 50000);
        }
        job.collective(0, "all_reduce", 2);
    }
    StuckJob job;
    std::vector<std::size_t> tensor, data;
};

inline StuckJob nested(std::int64_t ranks, const std::function<void(Nested&)>& end)
{
    Nested layout(ranks);
    for (int i = 0; i < 6; ++i) {
        layout.step();
    }
    end(layout);
    return std::move(layout.job);
}

/// A ring of batched sends and receives, as in context parallelism.
inline void ringStep(StuckJob& job, std::int64_t ranks, std::int64_t withoutReceive = -1,
                     std::int64_t withoutSend = -1)
{
    for (std::int64_t rank = 0; rank < ranks; ++rank) {
        std::vector<std::pair<std::string, std::int64_t>> parts;
        if (rank != withoutSend) {
            parts.emplace_back("send", (rank + 1) % ranks);
        }
        if (rank != withoutReceive) {
            parts.emplace_back("recv", (rank + ranks - 1) % ranks);
        }
        job.batch(0, rank, parts);
    }
}

inline StuckJob ring(std::int64_t ranks, const std::function<void(StuckJob&)>& end)
{
    StuckJob job(ranks);
    for (int step = 0; step < kWarmSteps; ++step) {
        ringStep(job, ranks);
        job.collective(0, "all_reduce", 1024);
    }
    end(job);
    return job;
}

} // namespace ringside::test
