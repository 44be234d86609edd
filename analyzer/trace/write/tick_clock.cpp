// SPDX-License-Identifier: Apache-2.0
#include <ringside/trace/ring_decoder.h>

#include <algorithm>
#include <cmath>

namespace ringside::trace {
namespace {

/// Two hours at one reading per second; the older half is discarded.
constexpr std::size_t kMaxSamples = 8192;

/// Returns base + offset, limited to int64 even if a hostile ring produced the slope.
std::int64_t saturatingAdd(std::int64_t base, double offset)
{
    constexpr double kLimit = 4e18;
    const auto bounded = static_cast<std::int64_t>(std::llround(std::clamp(offset, -kLimit, kLimit)));
    std::int64_t sum = 0;
    if (__builtin_add_overflow(base, bounded, &sum)) {
        return base;
    }
    return sum;
}

double signedDifference(std::uint64_t later, std::uint64_t earlier)
{
    return later >= earlier ? static_cast<double>(later - earlier) : -static_cast<double>(earlier - later);
}

} // namespace

void TickClock::add(const ClockRecord& sample)
{
    const bool later = m_samples.empty() || (sample.ticks > m_samples.back().ticks &&
                                             sample.monotonicNs > m_samples.back().monotonicNs);
    // repeated readings and readings that run backwards give no slope
    if (!later) {
        return;
    }
    if (m_samples.size() == kMaxSamples) {
        m_samples.erase(m_samples.begin(), m_samples.begin() + kMaxSamples / 2);
    }
    m_samples.push_back(sample);
}

std::int64_t TickClock::toMonotonicNs(std::uint64_t ticks) const
{
    if (m_kind == ClockKind::Monotonic) {
        return static_cast<std::int64_t>(ticks);
    }
    if (m_samples.size() < 2) {
        return 0;
    }
    const auto after =
        std::upper_bound(m_samples.begin() + 1, m_samples.end() - 1, ticks,
                         [](std::uint64_t value, const ClockRecord& sample) { return value < sample.ticks; });
    const ClockRecord& to = *after;
    const ClockRecord& from = *(after - 1);
    // unsigned, because hostile readings may differ by more than a signed number can hold
    const auto elapsedNs =
        static_cast<std::uint64_t>(to.monotonicNs) - static_cast<std::uint64_t>(from.monotonicNs);
    const double slope = static_cast<double>(elapsedNs) / signedDifference(to.ticks, from.ticks);
    return saturatingAdd(from.monotonicNs, signedDifference(ticks, from.ticks) * slope);
}

bool TickClock::ready() const
{
    return m_kind == ClockKind::Monotonic || m_samples.size() >= 2;
}

} // namespace ringside::trace
