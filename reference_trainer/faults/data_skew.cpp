// SPDX-License-Identifier: Apache-2.0
// Batches of different size: each rank computes for a different time in each step, as with texts that are not
// sorted by length.
#include "extra_work.h"
#include "fault.h"
#include "launch_environment.h"
#include "random.h"

#include <array>
#include <numeric>
#include <utility>

namespace ringside::trainer::faults::fault_data_skew {
namespace {

constexpr FaultOption kOptions[] = {{"ms", "30", "largest extra work of a rank in a step"},
                                    {"seed", "1", "seed of the lengths"}};

/// Shares from 0 to 1. Each eighth of the range is drawn once in eight draws, in random order, so that a
/// short training has the mean of a long one.
class EvenDraws final {
public:
    explicit EvenDraws(Random random) : m_random(random)
    {
        std::iota(m_eighths.begin(), m_eighths.end(), 0U);
    }

    double next()
    {
        const std::size_t chosen = m_random.below(m_left);
        --m_left;
        std::swap(m_eighths[chosen], m_eighths[m_left]);
        const double share = (m_eighths[m_left] + static_cast<double>(m_random.uniform())) /
                             static_cast<double>(m_eighths.size());
        m_left = m_left == 0 ? m_eighths.size() : m_left;
        return share;
    }

private:
    Random m_random;
    std::array<unsigned, 8> m_eighths{};
    std::size_t m_left = m_eighths.size(); ///< not drawn yet: the first ones
};

void apply(const FaultSettings& settings, const RankIdentity& identity, Hooks& hooks)
{
    hooks.afterForward.emplace_back(
        [work = ExtraWork::measuredBeforeTraining(hooks), ms = settings.positive("ms"),
         draws = EvenDraws(Random(settings.count("seed"), identity.rank))](cudaStream_t stream) mutable {
            work->run(stream, ms * draws.next());
        });
}

} // namespace

extern const Fault entry;
const Fault entry{"data_skew", "ranks compute for different times in each step", kOptions, apply};

} // namespace ringside::trainer::faults::fault_data_skew
