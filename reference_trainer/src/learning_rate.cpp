// SPDX-License-Identifier: Apache-2.0
#include "learning_rate.h"

namespace ringside::trainer {

LearningRate::LearningRate(const Options& options) : m_first(learningRate(options)), m_last(m_first)
{
    constexpr double kBaseBatch = 256;
    constexpr double kWarmupEpochs = 5;
    const double larger = options.batch / kBaseBatch;
    if (!options.scaleLr)
        return;
    m_last = static_cast<float>(static_cast<double>(m_first) * larger);
    if (larger > 1)
        m_warmupSteps = kWarmupEpochs * static_cast<double>(options.samples / options.batch);
}

float LearningRate::at(std::uint64_t step) const
{
    const auto number = static_cast<double>(step);
    if (number >= m_warmupSteps)
        return m_last;
    return m_first + static_cast<float>(number / m_warmupSteps) * (m_last - m_first);
}

} // namespace ringside::trainer
