// SPDX-License-Identifier: Apache-2.0
#include "support/framework_patterns.h"

#include "support/framework_scripts.h"
#include "support/framework_words.h"

#include <array>

namespace ringside::test {
namespace {

using namespace std::chrono_literals;

/// DDP fills buckets with gradients in the order in which backward makes them: the first holds 1 MiB, the
/// others 25 MiB.
std::vector<std::uint64_t> bucketsOf(const std::vector<std::uint64_t>& gradients)
{
    std::vector<std::uint64_t> buckets;
    std::uint64_t filled = 0;
    for (const std::uint64_t gradient : gradients) {
        filled += gradient;
        if (filled >= (buckets.empty() ? kMiB : 25 * kMiB)) {
            buckets.push_back(filled);
            filled = 0;
        }
    }
    if (filled > 0) {
        buckets.push_back(filled);
    }
    return buckets;
}

/// Forward and backward, in which buckets become ready one by one.
Script dataParallel(const JobShape& shape, const std::vector<std::uint64_t>& buckets, int batches = 1)
{
    Script script;
    for (int batch = 1; batch < batches; ++batch) {
        host(script, 3 * shape.layers * shape.layer);
    }
    host(script, shape.layers * shape.layer);
    for (const std::uint64_t bucket : buckets) {
        host(script, 2 * shape.layers * shape.layer / static_cast<int>(buckets.size()));
        allReduce(script, Group::Data, bucket);
    }
    optimize(script, shape);
    return script;
}

Script ddpTransformer(const JobShape& shape, int /*rank*/)
{
    constexpr std::uint64_t kMatrix = kHidden * kHidden * sizeof(float);
    std::vector<std::uint64_t> gradients{50'000 * kHidden * sizeof(float)};
    for (int layer = 0; layer < shape.layers; ++layer) {
        for (const std::uint64_t matrices : {4, 4, 1, 3}) {
            gradients.push_back(matrices * kMatrix);
            gradients.push_back(kHidden * sizeof(float));
        }
    }
    gradients.push_back(1024 * kHidden * sizeof(float));
    return dataParallel(shape, bucketsOf(gradients));
}

/// Every matrix is larger than a bucket: seven a layer, and embedding and head.
Script ddpLlama(const JobShape& shape, int /*rank*/)
{
    constexpr std::uint64_t kMatrix = 64 * kMiB;
    std::vector<std::uint64_t> gradients{500 * kMiB};
    for (int layer = 0; layer < shape.layers; ++layer) {
        gradients.insert(gradients.end(), {172 * kMiB, 172 * kMiB, 172 * kMiB});
        gradients.insert(gradients.end(), 4, kMatrix);
    }
    gradients.push_back(500 * kMiB);
    return dataParallel(shape, bucketsOf(gradients));
}

std::vector<std::uint64_t> equalBuckets(const JobShape& shape)
{
    std::vector<std::uint64_t> buckets(static_cast<std::size_t>(shape.layers) + 6, 25 * kMiB);
    buckets.front() = kMiB;
    buckets.back() = 7 * kMiB;
    return buckets;
}

Script ddpEqualBuckets(const JobShape& shape, int /*rank*/)
{
    return dataParallel(shape, equalBuckets(shape));
}

Script ddpNoSync(const JobShape& shape, int /*rank*/)
{
    return dataParallel(shape, equalBuckets(shape), 8);
}

/// A model that fits in one bucket: a step is a single call.
Script ddpOneBucket(const JobShape& shape, int /*rank*/)
{
    return dataParallel(shape, {20 * kMiB});
}

/// Predictions of all ranks are gathered after each batch.
Script ddpEvaluation(const JobShape& shape, int /*rank*/)
{
    Script script;
    host(script, shape.layers * shape.layer);
    call(script, "ncclAllGather", Group::Data, 2 * kMiB);
    return script;
}

constexpr std::uint64_t kLayerShard = 12 * kHidden * kHidden;
constexpr std::uint64_t kRootShard = 50'000 * kHidden;

void gather(Script& script, std::uint64_t bytes)
{
    call(script, "ncclAllGather", Group::Data, bytes);
}

void shardedForward(Script& script, const JobShape& shape)
{
    gather(script, kRootShard);
    for (int layer = 0; layer < shape.layers; ++layer) {
        gather(script, kLayerShard);
        host(script, shape.layer);
    }
}

/// Each layer gathers the one before it ahead, then reduces its own gradients.
void shardedBackward(Script& script, const JobShape& shape, bool reduce)
{
    gather(script, kRootShard);
    gather(script, kLayerShard);
    for (int layer = shape.layers; layer-- > 0;) {
        if (layer > 0) {
            gather(script, kLayerShard);
        }
        host(script, 2 * shape.layer);
        if (reduce) {
            call(script, "ncclReduceScatter", Group::Data, kLayerShard);
        }
    }
    if (reduce) {
        call(script, "ncclReduceScatter", Group::Data, kRootShard);
    }
}

Script fsdp(const JobShape& shape, int /*rank*/)
{
    Script script;
    shardedForward(script, shape);
    shardedBackward(script, shape, true);
    optimize(script, shape);
    return script;
}

Script fsdpClip(const JobShape& shape, int /*rank*/)
{
    Script script;
    shardedForward(script, shape);
    shardedBackward(script, shape, true);
    allReduce(script, Group::Data, kScalar);
    optimize(script, shape);
    return script;
}

Script fsdpNoSync(const JobShape& shape, int /*rank*/)
{
    Script script;
    for (int batch = 0; batch < 8; ++batch) {
        shardedForward(script, shape);
        shardedBackward(script, shape, batch == 7);
    }
    optimize(script, shape);
    return script;
}

Script fsdpEvaluation(const JobShape& shape, int /*rank*/)
{
    Script script;
    shardedForward(script, shape);
    allReduce(script, Group::Data, kScalar);
    return script;
}

/// Gradients are reduced in buckets, each rank updates its part, then all gather the weights.
Script zeroTwo(const JobShape& shape, int /*rank*/)
{
    Script script;
    host(script, shape.layers * shape.layer);
    for (int layer = 0; layer < shape.layers; ++layer) {
        host(script, 2 * shape.layer);
        call(script, "ncclReduceScatter", Group::Data, 12 * kMiB);
    }
    allReduce(script, Group::Data, kScalar);
    optimize(script, shape);
    call(script, "ncclAllGather", Group::Data, 6 * kMiB * static_cast<std::uint64_t>(shape.layers));
    return script;
}

constexpr std::array<FrameworkPattern, 25> kPatterns{{
    {"DDP, transformer", ddpTransformer},
    {"DDP, llama", ddpLlama},
    {"DDP, equal buckets", ddpEqualBuckets},
    {"DDP, accumulation 8", ddpNoSync},
    {"FSDP", fsdp},
    {"FSDP, clipping", fsdpClip},
    {"FSDP, accumulation 8", fsdpNoSync},
    {"tensor parallel", tensorParallel},
    {"tensor x data parallel, accumulation", tensorAndData},
    {"sequence parallel", sequenceParallel},
    {"pipeline 1F1B", pipeline},
    {"pipeline interleaved x data parallel", pipelineInterleaved},
    {"pipeline x data parallel", pipelineAndData},
    {"experts", experts},
    {"ZeRO 2", zeroTwo},
    {"CUDA graph", ddpEqualBuckets, nullptr, Extra::None, true},
    {"DDP, losses logged", ddpTransformer, nullptr, Extra::Logging},
    {"FSDP, losses logged", fsdp, nullptr, Extra::Logging},
    {"tensor parallel, losses logged", tensorParallel, nullptr, Extra::Logging},
    {"FSDP, evaluations", fsdp, fsdpEvaluation, Extra::Evaluation},
    {"tensor parallel, evaluations", tensorParallel, tensorEvaluation, Extra::Evaluation},
    {"pipeline x data parallel, checkpoints", pipelineAndData, nullptr, Extra::Checkpoints},
    {"DDP, llama, checkpoints", ddpLlama, nullptr, Extra::Checkpoints},
    {"DDP, one bucket, losses logged", ddpOneBucket, nullptr, Extra::Logging},
    {"DDP, evaluations that gather", ddpTransformer, ddpEvaluation, Extra::Evaluation},
}};

constexpr std::array<FrameworkPattern, 3> kAmbiguous{{
    {"DDP, one bucket, checkpoints", ddpOneBucket, nullptr, Extra::Checkpoints},
    {"tensor parallel, accumulation 8", tensorAccumulation},
    {"pipeline, middle stages", pipelineMiddle},
}};

} // namespace

std::span<const FrameworkPattern> frameworkPatterns()
{
    return kPatterns;
}

std::span<const FrameworkPattern> ambiguousPatterns()
{
    return kAmbiguous;
}

} // namespace ringside::test
