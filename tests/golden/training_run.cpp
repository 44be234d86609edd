// SPDX-License-Identifier: Apache-2.0
#include "training_run.h"

#include <cmath>

namespace ringside::test {
namespace {

class Trainer final {
public:
    explicit Trainer(const TrainingRun& run) : m_run(run) {}

    void step(StepBuilder& step)
    {
        for (int rank = 0; rank < m_run.ranks; ++rank) {
            step.rank(rank).host(nanoseconds(m_run.dataNs + late(rank, m_run.lateByData)), "data");
            step.rank(rank).hostIdle(nanoseconds(m_run.hostNs));
            if (m_run.copyBytes > 0) {
                step.rank(rank).copy(m_run.copyBytes, nanoseconds(m_run.copyNs));
            }
            if (m_run.extraNs) {
                step.rank(rank).compute(nanoseconds(m_run.extraNs(step.number(), rank)));
            }
        }
        for (const std::uint64_t bytes : m_run.buckets) {
            computePart(step);
            if (m_run.overlap) {
                reduce(step, bytes);
            }
        }
        for (const std::uint64_t bytes : m_run.buckets) {
            if (!m_run.overlap) {
                reduce(step, bytes);
            }
        }
        step.everyRank().waitForCommunication().compute(500us); // the optimizer
    }

private:
    [[nodiscard]] std::int64_t late(int rank, bool here) const
    {
        return here && rank == m_run.lateRank ? m_run.lateNs : 0;
    }

    /// The buckets divide backward into equal parts.
    void computePart(StepBuilder& step)
    {
        for (int rank = 0; rank < m_run.ranks; ++rank) {
            const std::int64_t whole = m_run.computeNs + late(rank, !m_run.lateByData);
            step.rank(rank).compute(
                nanoseconds(whole / static_cast<std::int64_t>(m_run.buckets.size()) + noise()));
        }
    }

    void reduce(StepBuilder& step, std::uint64_t bytes) const
    {
        const double speed = m_run.networkSpeed ? m_run.networkSpeed(step.number()) : 1.0;
        const double takes = m_run.latencyNs + static_cast<double>(bytes) / m_run.bytesPerNs / speed;
        step.allReduce(bytes, {.takes = nanoseconds(std::llround(takes)), .overlapped = m_run.overlap});
    }

    /// Spread evenly around 0, the same sequence in every run.
    std::int64_t noise()
    {
        m_random = m_random * 6364136223846793005ULL + 1442695040888963407ULL;
        const auto range = static_cast<std::uint64_t>(2 * m_run.jitterNs + 1);
        return static_cast<std::int64_t>((m_random >> 33U) % range) - m_run.jitterNs;
    }

    const TrainingRun& m_run;
    std::uint64_t m_random = 1;
};

} // namespace

trace::RunTrace simulate(const TrainingRun& run)
{
    TraceBuilder builder(run.ranks);
    if (!run.deviceTier) {
        builder.withoutDeviceTier("profile light");
    }
    if (!run.synchronize) {
        builder.withoutStepEndSync();
    }
    for (int rank = 0; run.hosts > 1 && rank < run.ranks; ++rank) {
        builder.host(rank, "host" + std::to_string(rank * run.hosts / run.ranks));
    }
    Trainer trainer(run);
    builder.steps(run.steps, [&](StepBuilder& step) { trainer.step(step); });
    if (run.edit) {
        run.edit(builder);
    }
    trace::RunTrace result = builder.run();
    result.path = "simulated.ringside";
    if (run.afterwards) {
        run.afterwards(result);
    }
    return result;
}

} // namespace ringside::test
