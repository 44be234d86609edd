// SPDX-License-Identifier: Apache-2.0
#include "live/shift_test.h"

#include "values/quantile.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace ringside::live {
namespace {

constexpr double kCaution = 30;         ///< c above
constexpr std::size_t kWindow = 256;    ///< values from which the noise is estimated
constexpr std::size_t kNoiseEvery = 16; ///< values
constexpr double kSigmaOfDeviation =
    1.4826; ///< standard deviation over median absolute deviation, normal noise

double medianDeviation(std::vector<double> values, double from)
{
    for (double& value : values) {
        value = std::abs(value - from);
    }
    return kSigmaOfDeviation * values::median(std::move(values));
}

} // namespace

/// The deviation around the median, and no smaller than a twentieth of the shift. Noise that lasts over steps
/// adds up in the sum: what neighbours have in common shows in how little they differ, and the noise counts
/// as that of independent values with the same sum (of an autoregressive process: times (1 + r) / (1 - r) in
/// the variance, for a correlation r of neighbours).
double ShiftTest::noise() const
{
    constexpr double kSmallest = 20;
    constexpr double kMostCorrelation = 0.97;
    const std::vector<double> values(m_values.begin(), m_values.end());
    std::vector<double> steps;
    for (std::size_t i = 1; i < values.size(); ++i) {
        steps.push_back((values[i] - values[i - 1]) / std::sqrt(2.0));
    }
    const double whole = medianDeviation(values, values::median(values));
    const double fresh = medianDeviation(std::move(steps), 0);
    const double smallest = m_shift / kSmallest;
    if (whole <= smallest) {
        return std::max(fresh, smallest);
    }
    const double correlation = std::clamp(1 - fresh * fresh / (whole * whole), 0.0, kMostCorrelation);
    return std::max(whole, fresh) * std::sqrt((1 + correlation) / (1 - correlation));
}

double ShiftTest::level() const
{
    return values::median(std::vector<double>(m_latest.begin(), m_latest.end()));
}

/// Values of a shift are no noise: from an alarm on, they are left out until it is over. And the noise is not
/// estimated anew while a shift is suspected, which would hide it.
void ShiftTest::remember(double value)
{
    constexpr std::size_t kLatest = 8;
    m_latest.push_back(value);
    if (m_latest.size() > kLatest) {
        m_latest.pop_front();
    }
    if (m_shifted) {
        return;
    }
    m_values.push_back(value);
    if (m_values.size() > kWindow) {
        m_values.pop_front();
    }
    ++m_sinceNoise;
}

ShiftTest::Change ShiftTest::add(double value)
{
    remember(value);
    if (m_values.size() < kLearned) {
        return Change::None;
    }
    if (!m_reference) {
        m_reference = values::median(std::vector<double>(m_values.begin(), m_values.end()));
    }
    if (m_noise == 0 || (m_sum == 0 && m_sinceNoise >= kNoiseEvery)) {
        m_sinceNoise = 0;
        m_noise = noise();
    }
    const double allowance = m_shift / m_noise / 2;
    const double threshold = kCaution / (2 * allowance);
    const double most = threshold / static_cast<double>(kFewestSteps);
    const double excess = (value - *m_reference) / m_noise - allowance;
    m_sum = std::clamp(m_sum + std::clamp(excess, -most, most), 0.0, threshold + most);
    // A few values far off may bring the sum to its end after the shift has ended: that is no alarm.
    const bool shifted = m_shifted ? m_sum > 0 : m_sum >= threshold - most / 2 && level() > *m_reference;
    if (shifted == m_shifted) {
        return Change::None;
    }
    m_shifted = shifted;
    return shifted ? Change::Began : Change::Ended;
}

} // namespace ringside::live
