// SPDX-License-Identifier: Apache-2.0
#include "reduce/step_sample.h"

#include <algorithm>

namespace ringside::reduce {
namespace {

/// Rounds towards minus infinity, also below 0.
std::int64_t dividedBy(std::int64_t number, std::int64_t by)
{
    return number / by - (number % by < 0 ? 1 : 0);
}

/// Returns how many blocks lie between two steps as a whole.
std::int64_t blocksIn(std::int64_t first, std::int64_t last, std::int64_t stride)
{
    const std::int64_t firstBlock = -dividedBy(-first, stride);
    const std::int64_t lastBlock = dividedBy(last - kBlockWidth + 1, stride);
    return std::max<std::int64_t>(0, lastBlock - firstBlock + 1);
}

} // namespace

StepSample::StepSample(std::int64_t first, std::int64_t last, std::int64_t count)
{
    constexpr std::int64_t kFarthest = std::int64_t{1} << 60; // numbers of strangers; sums must not overflow
    if (count <= 0 || first > last || first < -kFarthest || last > kFarthest) {
        return;
    }
    m_first = first;
    m_last = last;
    const std::int64_t wanted = std::max<std::int64_t>(1, count / kBlockSteps);
    while (last - first >= count + 2 && blocksIn(first, last, m_stride) > wanted) {
        m_stride *= 2;
    }
}

bool StepSample::holds(std::int64_t number) const
{
    return number >= m_first && number <= m_last &&
           number - dividedBy(number, m_stride) * m_stride < kBlockWidth;
}

} // namespace ringside::reduce
