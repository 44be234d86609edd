// SPDX-License-Identifier: Apache-2.0
// Models that lie on several GPUs: tensor, sequence and pipeline parallel, and experts.
#include "support/framework_scripts.h"
#include "support/framework_words.h"

#include <algorithm>

namespace ringside::test {
namespace {

/// Two sums a layer each way, the vocabulary's in embedding, head and loss.
void tensorForward(Script& script, const JobShape& shape, std::uint64_t activation)
{
    allReduce(script, Group::Tensor, activation);
    for (int sum = 0; sum < 2 * shape.layers; ++sum) {
        host(script, shape.layer / 2);
        allReduce(script, Group::Tensor, activation);
    }
    for (int part = 0; part < 3; ++part) {
        allReduce(script, Group::Tensor, 64 << 10U);
    }
}

void tensorBackward(Script& script, const JobShape& shape)
{
    for (int sum = 0; sum < 2 * shape.layers + 1; ++sum) {
        host(script, shape.layer);
        allReduce(script, Group::Tensor, kActivation);
    }
}

/// One stage's place in the pipeline, and what it exchanges with its neighbours.
class Stage final {
public:
    Stage(Script& script, const JobShape& shape, int stage)
        : m_script(script), m_shape(shape), m_stage(stage), m_last(stage + 1 == shape.stages)
    {}

    void receiveForward()
    {
        if (m_stage > 0) {
            call(m_script, "ncclRecv", Group::Pipeline, kActivation, m_stage - 1);
        }
    }
    void sendForward()
    {
        if (!m_last) {
            call(m_script, "ncclSend", Group::Pipeline, kActivation, m_stage + 1);
        }
    }
    void receiveBackward()
    {
        if (!m_last) {
            call(m_script, "ncclRecv", Group::Pipeline, kActivation, m_stage + 1);
        }
    }
    void sendBackward()
    {
        if (m_stage > 0) {
            call(m_script, "ncclSend", Group::Pipeline, kActivation, m_stage - 1);
        }
    }
    void forward() { host(m_script, m_shape.layer * m_shape.layers / m_shape.stages); }
    void backward() { host(m_script, 2 * m_shape.layer * m_shape.layers / m_shape.stages); }

    /// 1F1B: some forward, then one forward and one backward in turn, then the rest backward.
    void play()
    {
        const int batches = std::max(m_shape.microBatches, m_shape.stages);
        const int ahead = m_shape.stages - m_stage - 1;
        for (int batch = 0; batch < ahead; ++batch) {
            receiveForward();
            forward();
            sendForward();
        }
        receiveForward();
        for (int batch = ahead; batch < batches; ++batch) {
            forward();
            sendForward();
            receiveBackward();
            backward();
            sendBackward();
            if (batch + 1 < batches) {
                receiveForward();
            }
        }
        for (int batch = 0; batch < ahead; ++batch) {
            receiveBackward();
            backward();
            sendBackward();
        }
    }

    /// Several chunks of layers on each stage, so that the last stage hands over to the first.
    void playInterleaved(int chunks)
    {
        const int total = std::max(m_shape.microBatches / m_shape.stages, 1) * m_shape.stages * chunks;
        const int ahead = std::min(total, 2 * (m_shape.stages - m_stage - 1) + (chunks - 1) * m_shape.stages);
        const int before = (m_stage + m_shape.stages - 1) % m_shape.stages;
        const int after = (m_stage + 1) % m_shape.stages;
        for (int batch = 0; batch < total + ahead; ++batch) {
            if (batch < total) {
                call(m_script, "ncclRecv", Group::Pipeline, kActivation, before);
                host(m_script, m_shape.layer * m_shape.layers / m_shape.stages / chunks);
                call(m_script, "ncclSend", Group::Pipeline, kActivation, after);
            }
            if (batch >= ahead) {
                call(m_script, "ncclRecv", Group::Pipeline, kActivation, after);
                host(m_script, 2 * m_shape.layer * m_shape.layers / m_shape.stages / chunks);
                call(m_script, "ncclSend", Group::Pipeline, kActivation, before);
            }
        }
    }

private:
    Script& m_script;
    const JobShape& m_shape;
    int m_stage;
    bool m_last;
};

} // namespace

Script tensorParallel(const JobShape& shape, int /*rank*/)
{
    Script script;
    tensorForward(script, shape, kActivation);
    tensorBackward(script, shape);
    optimize(script, shape);
    return script;
}

/// Nothing but the norm of the gradients says where the micro-batches of a step end.
Script tensorAccumulation(const JobShape& shape, int /*rank*/)
{
    Script script;
    for (int batch = 0; batch < 8; ++batch) {
        tensorForward(script, shape, kActivation);
        tensorBackward(script, shape);
    }
    allReduce(script, Group::Tensor, kScalar);
    optimize(script, shape);
    return script;
}

Script tensorAndData(const JobShape& shape, int /*rank*/)
{
    Script script;
    for (int batch = 0; batch < shape.microBatches; ++batch) {
        tensorForward(script, shape, kActivation);
        tensorBackward(script, shape);
    }
    allReduce(script, Group::Data, 800 * kMiB);
    allReduce(script, Group::Tensor, kScalar);
    optimize(script, shape);
    return script;
}

/// Batches of evaluation are larger.
Script tensorEvaluation(const JobShape& shape, int /*rank*/)
{
    Script script;
    tensorForward(script, shape, 2 * kActivation);
    return script;
}

Script sequenceParallel(const JobShape& shape, int /*rank*/)
{
    Script script;
    call(script, "ncclReduceScatter", Group::Tensor, kActivation);
    for (const int passes : {1, 2}) {
        for (int part = 0; part < 2 * shape.layers; ++part) {
            call(script, "ncclAllGather", Group::Tensor, kActivation);
            host(script, passes * shape.layer / 2);
            if (passes == 2) { // the input again, for the weights' gradients
                call(script, "ncclAllGather", Group::Tensor, kActivation);
            }
            call(script, "ncclReduceScatter", Group::Tensor, kActivation);
        }
        for (int part = 0; part < 3 && passes == 1; ++part) {
            allReduce(script, Group::Tensor, 64 << 10U);
        }
    }
    allReduce(script, Group::Tensor, 2 * kHidden * static_cast<std::uint64_t>(shape.layers));
    optimize(script, shape);
    return script;
}

/// The first and the last stage, which share the embedding.
Script pipeline(const JobShape& shape, int rank)
{
    Script script;
    Stage(script, shape, rank == 0 ? 0 : shape.stages - 1).play();
    allReduce(script, Group::Embedding, 200 * kMiB);
    allReduce(script, Group::Embedding, kScalar);
    optimize(script, shape);
    return script;
}

/// Two stages in the middle, whose weights nobody shares.
Script pipelineMiddle(const JobShape& shape, int rank)
{
    Script script;
    Stage(script, shape, shape.stages / 2 - rank).play();
    allReduce(script, Group::Pipeline, kScalar);
    optimize(script, shape);
    return script;
}

/// Replicas of a stage in the middle.
Script pipelineAndData(const JobShape& shape, int /*rank*/)
{
    Script script;
    Stage(script, shape, shape.stages / 2).play();
    for (int bucket = 0; bucket < 3; ++bucket) {
        call(script, "ncclReduceScatter", Group::Data, 100 * kMiB);
    }
    allReduce(script, Group::Data, kScalar);
    optimize(script, shape);
    for (int bucket = 0; bucket < 3; ++bucket) {
        call(script, "ncclAllGather", Group::Data, 50 * kMiB);
    }
    return script;
}

Script pipelineInterleaved(const JobShape& shape, int /*rank*/)
{
    Script script;
    Stage(script, shape, shape.stages / 2).playInterleaved(2);
    allReduce(script, Group::Data, 300 * kMiB);
    allReduce(script, Group::Data, kScalar);
    optimize(script, shape);
    return script;
}

/// Tokens travel to their experts and back in every layer, both ways.
Script experts(const JobShape& shape, int /*rank*/)
{
    Script script;
    for (const int passes : {1, 2}) {
        for (int layer = 0; layer < shape.layers; ++layer) {
            host(script, passes * shape.layer / 2);
            call(script, "ncclAlltoAll", Group::Expert, kActivation);
            host(script, passes * shape.layer / 2);
            call(script, "ncclAlltoAll", Group::Expert, kActivation);
        }
    }
    for (int bucket = 0; bucket < 4; ++bucket) {
        allReduce(script, Group::Data, 25 * kMiB);
    }
    allReduce(script, Group::Data, 9 * kMiB);
    optimize(script, shape);
    return script;
}

} // namespace ringside::test
