// SPDX-License-Identifier: Apache-2.0
// A recorded job on several GPUs in several ways: 1F1B pipelines with sends and receives, tensor parallel
// groups, replicas, experts, and one thing that is wrong with it. Its device times follow from what waits for
// what, as on a machine: a message moves when both of its ends have come.
#pragma once
#include "support/trace_builder.h"

#include <cstdint>

namespace ringside::test {

enum class ParallelFault : std::uint8_t {
    None,
    SlowWorker,          ///< `rank` computes `factor` times as long
    SlowStage,           ///< all ranks of `stage` do
    UnequalSequences,    ///< the batch of each replica has another length in each step, up to `factor`
    UnequalMicroBatches, ///< the same for each micro-batch
    Hiccups,             ///< `rank` stops for `factor` of a step in every seventh step
    SlowLink,            ///< messages from `stage` to the next take `factor` of a forward pass more
    Disturbances,        ///< one in twenty passes of any rank takes `factor` forward passes longer
    FullExpert,          ///< the experts of `rank` get `factor` times as many tokens
};

/// Rank = ((stage * replicas + replica) * context + part) * tensor + place, all counted from 0, as Megatron
/// counts.
struct ParallelShape {
    int stages = 1;
    int replicas = 1;
    int context = 1; ///< parts of a sequence, whose keys and values go round in a ring
    int tensor = 1;
    int microBatches = 8;
    int chunks =
        1; ///< of each stage's layers; more than 1: 1F1B interleaved, where `stages` divides `microBatches`
    bool zeroBubble =
        false; ///< gradients of weights are computed apart from those of activations, as ZB-H1 does
    int steps = 20;
    bool experts = false;    ///< spread over the replicas of a stage
    bool pairGroups = false; ///< a communicator for each pair and direction, and sends that nobody waits for
    bool hostPerStage = false; ///< else all ranks share one host
    double noise = 0.02;       ///< standard deviation of the logarithm of compute times
    std::uint64_t seed = 1;

    [[nodiscard]] int ranks() const { return stages * replicas * context * tensor; }
    [[nodiscard]] int stageOf(int rank) const { return rank / (replicas * context * tensor); }
    [[nodiscard]] int replicaOf(int rank) const { return rank / (context * tensor) % replicas; }
    [[nodiscard]] int partOf(int rank) const { return rank / tensor % context; }
    [[nodiscard]] int rankAt(int stage, int replica, int place, int part = 0) const
    {
        return ((stage * replicas + replica) * context + part) * tensor + place;
    }
};

struct PlantedFault {
    ParallelFault what = ParallelFault::None;
    int rank = 0;
    int stage = 0;
    double factor = 1.5;
};

[[nodiscard]] TraceBuilder playParallelJob(const ParallelShape& shape, const PlantedFault& fault = {});

} // namespace ringside::test
