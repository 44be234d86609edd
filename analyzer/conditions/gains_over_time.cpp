// SPDX-License-Identifier: Apache-2.0
#include "conditions/gains_over_time.h"

#include <algorithm>

namespace ringside::conditions {

GainsOverTime::GainsOverTime(std::vector<Gain> gains)
    : m_gains(std::move(gains)), m_before(m_gains.size() + 1), m_coveredBefore(m_gains.size() + 1)
{
    for (std::size_t i = 0; i < m_gains.size(); ++i) {
        m_before[i + 1] = m_before[i] + static_cast<double>(m_gains[i].gain);
        m_coveredBefore[i + 1] = values::addCapped(m_coveredBefore[i], m_gains[i].between.length());
    }
}

// Gains are ordered by time. There may be gaps between them, but they never overlap.
std::optional<double> GainsOverTime::perNs(const values::Interval& span) const
{
    constexpr double kEnough = 0.9; // share of the span that must lie between readings
    const auto first = std::partition_point(m_gains.begin(), m_gains.end(),
                                            [&](const Gain& each) { return each.between.end <= span.start; });
    const auto end = std::partition_point(first, m_gains.end(),
                                          [&](const Gain& each) { return each.between.start < span.end; });
    if (first == end) {
        return std::nullopt;
    }
    const std::int64_t shortest = std::min(first->between.length(), (end - 1)->between.length());
    if (end - first <= 2 && span.length() < shortest) {
        return std::nullopt;
    }
    const auto from = static_cast<std::size_t>(first - m_gains.begin());
    const auto to = static_cast<std::size_t>(end - m_gains.begin());
    double gained = m_before[to] - m_before[from];
    std::int64_t covered = m_coveredBefore[to] - m_coveredBefore[from];
    const auto subtract = [&](const Gain& each, std::int64_t outside) {
        covered -= outside;
        gained -= static_cast<double>(each.gain) * static_cast<double>(outside) /
                  static_cast<double>(std::max<std::int64_t>(1, each.between.length()));
    };
    subtract(*first, std::max<std::int64_t>(0, span.start - first->between.start));
    subtract(*(end - 1), std::max<std::int64_t>(0, (end - 1)->between.end - span.end));
    return static_cast<double>(covered) >= kEnough * static_cast<double>(span.length()) && covered > 0
               ? std::optional(gained / static_cast<double>(covered))
               : std::nullopt;
}

} // namespace ringside::conditions
