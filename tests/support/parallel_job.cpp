// SPDX-License-Identifier: Apache-2.0
#include "support/parallel_job.h"

#include "support/parallel_machine.h"

#include <algorithm>
#include <cmath>
#include <random>

namespace ringside::test {
namespace {

constexpr double kForwardNs = 2e6;
constexpr std::uint64_t kActivationBytes = 8 << 20U;
constexpr std::int64_t kMessageNs = 100'000;

/// The scripts of one rank, step by step.
class ScriptWriter final {
public:
    ScriptWriter(const ParallelShape& shape, const PlantedFault& fault, int rank)
        : m_shape(shape)
        , m_fault(fault)
        , m_rank(rank)
        , m_stage(shape.stageOf(rank))
        , m_random(shape.seed * 1000 + static_cast<std::uint64_t>(rank))
    {}

    std::vector<MachineItem> write()
    {
        for (int step = 0; step < m_shape.steps; ++step) {
            m_step = step;
            m_passes = {};
            idle(100'000);
            if (m_fault.what == ParallelFault::Hiccups && m_rank == m_fault.rank && step % 7 == 3) {
                stall(m_fault.factor * 3 * kForwardNs * m_shape.microBatches);
            }
            pipeline();
            finishStep();
        }
        return std::move(m_items);
    }

private:
    /// Of a replica's micro-batch in this step, the same on all of its ranks.
    [[nodiscard]] double lengthOf(int microBatch) const
    {
        const bool each = m_fault.what == ParallelFault::UnequalMicroBatches;
        if (m_fault.what != ParallelFault::UnequalSequences && !each) {
            return 1;
        }
        std::mt19937_64 random(m_shape.seed * 7919 + static_cast<std::uint64_t>(m_step) * 31 +
                               static_cast<std::uint64_t>(m_shape.replicaOf(m_rank)) +
                               (each ? static_cast<std::uint64_t>(microBatch + 1) * 104'729 : 0));
        random.discard(8);
        return std::uniform_real_distribution<double>(1 / m_fault.factor, m_fault.factor)(random);
    }

    [[nodiscard]] double slowness() const
    {
        const bool slow = (m_fault.what == ParallelFault::SlowWorker && m_rank == m_fault.rank) ||
                          (m_fault.what == ParallelFault::SlowStage && m_stage == m_fault.stage);
        return slow ? m_fault.factor : 1;
    }

    double disturbance()
    {
        constexpr double kOften = 0.05;
        const bool disturbed =
            m_fault.what == ParallelFault::Disturbances && std::bernoulli_distribution(kOften)(m_random);
        return disturbed ? m_fault.factor * kForwardNs : 0;
    }

    void idle(std::int64_t ns) { m_items.push_back({.what = MachineItem::What::HostIdle, .ns = ns}); }
    void stall(double ns) { m_items.push_back({.what = MachineItem::What::Stall, .ns = std::llround(ns)}); }
    void compute(double ns)
    {
        std::lognormal_distribution<double> noise(0, m_shape.noise);
        const double time = ns * m_length * slowness() * noise(m_random) + disturbance();
        m_items.push_back({.what = MachineItem::What::Compute, .ns = std::llround(time)});
    }

    [[nodiscard]] std::vector<int> tensorGroup() const
    {
        std::vector<int> members;
        for (int place = 0; place < m_shape.tensor; ++place) {
            members.push_back(m_shape.rankAt(m_stage, m_shape.replicaOf(m_rank), place, part()));
        }
        return members;
    }
    [[nodiscard]] std::vector<int> replicaGroup() const
    {
        std::vector<int> members;
        for (int replica = 0; replica < m_shape.replicas; ++replica) {
            members.push_back(m_shape.rankAt(m_stage, replica, m_rank % m_shape.tensor, part()));
        }
        return members;
    }
    [[nodiscard]] std::vector<int> pipelineGroup() const
    {
        std::vector<int> members;
        for (int stage = 0; stage < m_shape.stages; ++stage) {
            members.push_back(neighbour(stage));
        }
        return members;
    }
    [[nodiscard]] int neighbour(int stage) const
    {
        return m_shape.rankAt(stage, m_shape.replicaOf(m_rank), m_rank % m_shape.tensor, part());
    }
    [[nodiscard]] int part() const { return m_shape.partOf(m_rank); }
    [[nodiscard]] std::vector<int> contextGroup() const
    {
        std::vector<int> members;
        for (int part = 0; part < m_shape.context; ++part) {
            members.push_back(
                m_shape.rankAt(m_stage, m_shape.replicaOf(m_rank), m_rank % m_shape.tensor, part));
        }
        return members;
    }

    void collective(std::string_view api, std::string tag, std::vector<int> members, std::uint64_t bytes,
                    std::int64_t ns)
    {
        MachineItem item;
        item.what = MachineItem::What::Collective;
        item.api = api;
        item.group = {std::move(tag), std::move(members)};
        item.bytes = bytes;
        item.ns = ns;
        m_items.push_back(std::move(item));
    }

    /// As PyTorch makes an all-to-all: a send and a receive for each member, in one group.
    void exchangeTokens()
    {
        MachineItem item;
        item.what = MachineItem::What::Messages;
        item.group = {"expert", replicaGroup()};
        for (const int member : item.group.members) {
            item.messages.push_back({m_rank, member, kActivationBytes / 8, kMessageNs});
            item.messages.push_back({member, m_rank, kActivationBytes / 8, kMessageNs});
        }
        m_items.push_back(std::move(item));
    }

    /// Keys and values go to the next part and come from the one before, as in ring attention.
    void passKeysOn()
    {
        MachineItem item;
        item.what = MachineItem::What::Messages;
        item.group = {"context", contextGroup()};
        const auto memberAt = [&](int part) {
            return item.group.members[static_cast<std::size_t>(part % m_shape.context)];
        };
        item.messages = {
            {m_rank, memberAt(part() + 1), kActivationBytes / 4, kMessageNs / 4},
            {memberAt(part() + m_shape.context - 1), m_rank, kActivationBytes / 4, kMessageNs / 4}};
        for (int round = 1; round < m_shape.context; ++round) {
            m_items.push_back(item);
        }
    }

    /// The n-th forward or backward pass of a step over the layers of this stage, or of one chunk of them.
    void pass(double stageNs, int number)
    {
        constexpr int kLayers = 2;
        const int ofGroup = m_shape.stages * m_shape.chunks; // an interleaved schedule takes turns
        m_length = lengthOf(number / ofGroup * m_shape.stages + number % m_shape.stages);
        const double ns = stageNs / m_shape.chunks;
        for (int layer = 0; layer < kLayers; ++layer) {
            compute(ns / kLayers / 2);
            passKeysOn();
            if (m_shape.experts) {
                exchangeTokens();
            }
            const bool full = m_fault.what == ParallelFault::FullExpert && m_rank == m_fault.rank;
            compute(ns / kLayers / 2 * (full ? m_fault.factor : 1));
            if (m_shape.experts) {
                exchangeTokens();
            }
            if (m_shape.tensor > 1) {
                collective("ncclAllReduce", "tensor", tensorGroup(), kActivationBytes, kMessageNs);
            }
        }
    }
    void forward() { pass(kForwardNs, m_passes.forward++); }
    void backward() { pass(m_shape.zeroBubble ? kForwardNs : 2 * kForwardNs, m_passes.backward++); }
    /// The rest of a backward pass where it is computed apart: nobody waits for it.
    void weightGradients() { compute(kForwardNs); }

    /// To and from the stages that `forward` and `backward` say: -1, 0, 1 as seen from this one.
    struct Neighbours {
        int sendTo = 0;
        int receiveFrom = 0;
    };
    void exchange(const Neighbours& with)
    {
        std::vector<MachineMessage> messages;
        if (with.sendTo != 0 && exists(m_stage + with.sendTo)) {
            messages.push_back(messageTo(m_stage, m_stage + with.sendTo));
        }
        if (with.receiveFrom != 0 && exists(m_stage + with.receiveFrom)) {
            messages.push_back(messageTo(m_stage + with.receiveFrom, m_stage));
        }
        MachineItem item;
        item.what = MachineItem::What::Messages;
        if (!m_shape.pairGroups && !m_shape.zeroBubble) {
            item.group = {"pipeline", pipelineGroup()};
            item.messages = std::move(messages);
            if (!item.messages.empty()) {
                m_items.push_back(std::move(item));
            }
            return;
        }
        for (const MachineMessage& message : messages) {
            item.messages = {message};
            item.group = {
                message.sender < message.receiver ? "forward" : "backward",
                {std::min(message.sender, message.receiver), std::max(message.sender, message.receiver)}};
            item.waits = message.receiver == m_rank;
            m_items.push_back(item);
        }
    }
    [[nodiscard]] bool exists(int stage) const { return stage >= 0 && stage < m_shape.stages; }
    [[nodiscard]] MachineMessage messageTo(int from, int to) const
    {
        const bool slow = m_fault.what == ParallelFault::SlowLink && from == m_fault.stage &&
                          to == m_fault.stage + 1 && m_shape.replicaOf(m_rank) == 0 && part() == 0;
        const auto extra = slow ? std::llround(m_fault.factor * kForwardNs) : 0;
        return {neighbour(from), neighbour(to), kActivationBytes, kMessageNs + extra};
    }

    void pipeline()
    {
        if (m_shape.chunks > 1) {
            interleaved();
        } else if (m_shape.zeroBubble) {
            zeroBubble();
        } else {
            oneForwardOneBackward();
        }
    }

    /// ZB-H1 (Qi et al., "Zero Bubble Pipeline Parallelism"): 1F1B, in which gradients of weights wait until
    /// the pipeline drains. Stage s keeps s of them back, so that it needs no more memory than 1F1B does.
    void zeroBubble()
    {
        const int ahead = std::min(m_shape.stages - m_stage - 1, m_shape.microBatches);
        const int steady = m_shape.microBatches - ahead;
        int kept = 0;
        const auto backwardPass = [&] {
            backward();
            exchange({.sendTo = -1});
            if (kept < m_stage) {
                ++kept;
            } else {
                weightGradients();
            }
        };
        for (int batch = 0; batch < ahead; ++batch) {
            exchange({.receiveFrom = -1});
            forward();
            exchange({.sendTo = 1});
        }
        for (int batch = 0; batch < steady; ++batch) {
            exchange({.receiveFrom = -1});
            forward();
            exchange({.sendTo = 1});
            exchange({.receiveFrom = 1});
            backwardPass();
        }
        for (int batch = 0; batch < ahead; ++batch) {
            exchange({.receiveFrom = 1});
            backwardPass();
        }
        for (; kept > 0; --kept) {
            weightGradients();
        }
    }

    /// Which chunk of layers the n-th forward or backward pass of a step is about.
    [[nodiscard]] int chunkOf(int pass, bool isForward) const
    {
        const int chunk = pass / m_shape.stages % m_shape.chunks;
        return isForward ? chunk : m_shape.chunks - 1 - chunk;
    }

    /// A message of the interleaved schedule, from one block of layers to the next or back, whose stages form
    /// a ring. None at the ends of the model. Only receivers wait.
    void relay(int fromStage, int fromChunk, bool isForward)
    {
        const int from = fromChunk * m_shape.stages + fromStage;
        const int to = isForward ? from + 1 : from - 1;
        if (from < 0 || to < 0 || std::max(from, to) >= m_shape.stages * m_shape.chunks) {
            return;
        }
        MachineItem item;
        item.what = MachineItem::What::Messages;
        item.messages = {messageTo(from % m_shape.stages, to % m_shape.stages)};
        const MachineMessage& message = item.messages.front();
        const bool around =
            (message.sender > message.receiver) == isForward; // a communicator for each direction
        item.group = {
            std::string(isForward ? "forward" : "backward") + (around ? " around" : ""),
            {std::min(message.sender, message.receiver), std::max(message.sender, message.receiver)}};
        item.waits = message.receiver == m_rank;
        m_items.push_back(item);
    }

    void interleavedPass(int number, bool isForward)
    {
        const int chunk = chunkOf(number, isForward);
        const int block = chunk * m_shape.stages + m_stage - (isForward ? 1 : -1);
        if (block >= 0) { // the block whose result this pass needs
            relay(block % m_shape.stages, block / m_shape.stages, isForward);
        }
        isForward ? forward() : backward();
        relay(m_stage, chunk, isForward);
    }

    /// 1F1B with several chunks of layers on each stage (Narayanan et al., "Efficient Large-Scale Language
    /// Model Training on GPU Clusters Using Megatron-LM").
    void interleaved()
    {
        const int passes = m_shape.microBatches * m_shape.chunks;
        const int first = 2 * (m_shape.stages - m_stage - 1) + (m_shape.chunks - 1) * m_shape.stages;
        const int ahead = std::min(first, passes);
        for (int pass = 0; pass < ahead; ++pass) {
            interleavedPass(pass, true);
        }
        for (int pass = 0; pass < passes; ++pass) {
            if (ahead + pass < passes) {
                interleavedPass(ahead + pass, true);
            }
            interleavedPass(pass, false);
        }
    }

    /// 1F1B as Megatron plays it.
    void oneForwardOneBackward()
    {
        const int ahead = std::min(m_shape.stages - m_stage - 1, m_shape.microBatches);
        const int steady = m_shape.microBatches - ahead;
        for (int batch = 0; batch < ahead; ++batch) {
            exchange({.receiveFrom = -1});
            forward();
            exchange({.sendTo = 1});
        }
        if (steady > 0) {
            exchange({.receiveFrom = -1});
        }
        for (int batch = 0; batch < steady; ++batch) {
            forward();
            exchange({.sendTo = 1, .receiveFrom = 1});
            backward();
            exchange({.sendTo = -1, .receiveFrom = batch + 1 < steady ? -1 : 0});
        }
        for (int batch = 0; batch < ahead; ++batch) {
            exchange({.receiveFrom = 1});
            backward();
            exchange({.sendTo = -1});
        }
    }

    void finishStep()
    {
        constexpr std::int64_t kReduceNs = 1'000'000;
        if (m_shape.replicas > 1) {
            collective("ncclAllReduce", "data", replicaGroup(), std::uint64_t{100} << 20U, kReduceNs);
        }
        std::vector<int> everyone;
        for (int rank = 0; rank < m_shape.ranks(); ++rank) {
            everyone.push_back(rank);
        }
        if (m_shape.ranks() > 1) {
            collective("ncclAllReduce", "world", everyone, 4, kMessageNs / 10);
        }
        m_items.push_back({.what = MachineItem::What::Compute,
                           .ns = std::llround(kForwardNs / 4),
                           .kernel = "void at::native::multi_tensor_apply_kernel<FusedAdamMathFunctor>()"});
        m_items.push_back({.what = MachineItem::What::EndStep});
    }

    const ParallelShape& m_shape;
    const PlantedFault& m_fault;
    int m_rank;
    int m_stage;
    struct Passes {
        int forward = 0;
        int backward = 0;
    };

    int m_step = 0;
    Passes m_passes; ///< of this step
    double m_length = 1;
    std::mt19937_64 m_random;
    std::vector<MachineItem> m_items;
};

} // namespace

TraceBuilder playParallelJob(const ParallelShape& shape, const PlantedFault& fault)
{
    TraceBuilder trace(shape.ranks());
    std::vector<std::vector<MachineItem>> scripts;
    for (int rank = 0; rank < shape.ranks(); ++rank) {
        if (shape.hostPerStage) {
            trace.host(rank, "host" + std::to_string(shape.stageOf(rank)));
        }
        scripts.push_back(ScriptWriter(shape, fault, rank).write());
    }
    playOnMachine(trace, scripts);
    return trace;
}

} // namespace ringside::test
