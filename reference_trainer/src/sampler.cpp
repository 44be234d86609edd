// SPDX-License-Identifier: Apache-2.0
#include "sampler.h"

#include "random.h"

#include <numeric>
#include <utility>

namespace ringside::trainer {

DistributedSampler::DistributedSampler(Shape shape) : m_shape(shape), m_permutation(shape.samples)
{
    shuffle(0);
}

void DistributedSampler::shuffle(std::uint64_t epoch)
{
    m_epoch = epoch;
    std::iota(m_permutation.begin(), m_permutation.end(), std::uint64_t{0});
    Random random(m_shape.seed, epoch);
    for (std::uint64_t i = m_permutation.size(); i > 1; --i)
        std::swap(m_permutation[i - 1], m_permutation[random.below(i)]);
}

std::vector<std::uint64_t> DistributedSampler::indices(std::uint64_t step)
{
    const std::uint64_t stepsPerEpoch = m_shape.samples / m_shape.globalBatch;
    if (step / stepsPerEpoch != m_epoch)
        shuffle(step / stepsPerEpoch);
    const std::uint64_t first = step % stepsPerEpoch * m_shape.globalBatch;
    std::vector<std::uint64_t> taken;
    taken.reserve(m_shape.globalBatch / m_shape.worldSize);
    for (std::uint64_t i = m_shape.rank; i < m_shape.globalBatch; i += m_shape.worldSize)
        taken.push_back(m_permutation[first + i]);
    return taken;
}

} // namespace ringside::trainer
