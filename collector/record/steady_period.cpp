// SPDX-License-Identifier: Apache-2.0
#include "record/steady_period.h"

#include <algorithm>
#include <limits>

namespace ringside::collector {
namespace {

constexpr std::int64_t kShortestSpanNs = 1'000'000'000;
constexpr std::int64_t kLongestSpanNs = 16'000'000'000; ///< for steps of as many seconds
constexpr int kSpans = 5;

} // namespace

void SteadyPeriod::look(std::int64_t nowNs, std::uint64_t done)
{
    if (m_over) {
        return;
    }
    if (m_samples.empty() || done != m_samples.back().done) {
        m_progressNs = nowNs;
    }
    keep({nowNs, done});
    if (m_sinceNs) {
        m_over = nowNs - *m_sinceNs >= kMeasuredNs;
        if (!m_over && nowNs - m_progressNs > kSpans * m_spanNs) {
            m_sinceNs.reset();
        }
        return;
    }
    for (std::int64_t span = kShortestSpanNs; span <= kLongestSpanNs; span += span / 4) {
        if (isEven(span)) {
            m_sinceNs = nowNs;
            m_spanNs = span;
            return;
        }
    }
}

void SteadyPeriod::keep(const Sample& sample)
{
    m_samples.push_back(sample);
    // Keeps one entry older than all spans: the count at their beginning.
    while (m_samples.size() > 2 && m_samples[1].ns <= sample.ns - kSpans * kLongestSpanNs) {
        m_samples.pop_front();
    }
}

/// Passes are irregular and split bursts, so a quarter more or less counts as even.
bool SteadyPeriod::isEven(std::int64_t spanNs) const
{
    constexpr std::uint64_t kFewest = 4;
    const std::int64_t now = m_samples.back().ns;
    if (m_samples.front().ns > now - kSpans * spanNs) {
        return false; // not known for so long
    }
    std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
    std::uint64_t most = 0;
    std::uint64_t later = m_samples.back().done;
    for (int span = 1; span <= kSpans; ++span) {
        const std::uint64_t earlier = doneBy(now - span * spanNs);
        least = std::min(least, later - earlier);
        most = std::max(most, later - earlier);
        later = earlier;
    }
    return least >= kFewest && (most - least) * 4 <= most;
}

std::uint64_t SteadyPeriod::doneBy(std::int64_t ns) const
{
    const auto after = std::upper_bound(m_samples.begin(), m_samples.end(), ns,
                                        [](std::int64_t t, const Sample& sample) { return t < sample.ns; });
    return after == m_samples.begin() ? m_samples.front().done : (after - 1)->done;
}

} // namespace ringside::collector
