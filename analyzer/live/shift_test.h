// SPDX-License-Identifier: Apache-2.0
// A sequential test for a shift of a noisy value: the cumulative sum of Page (Biometrika 41, 1954), in units
// of the noise that the value itself shows.
//
// With z the standardized value, S = max(0, S + z - k), and an alarm comes when S exceeds h. For a shift of d
// times the noise k is d / 2, which detects that shift soonest, and h is c / (2 k): for normal noise, the
// rate of false alarms then goes with exp(-c) (Siegmund, Sequential Analysis, 1985, chapter II.6), whatever
// the noise. A shift takes about 2 c / d^2 steps, at least kFewestSteps.
//
// Step times are not normal: they have outliers and drift. So the noise is estimated robustly, with its
// correlation over steps, and a single value adds at most h / kFewestSteps. tests/bench/alarm_rate.cpp
// measures the rates.
#pragma once
#include <cstddef>
#include <deque>
#include <optional>

namespace ringside::live {

class ShiftTest final {
public:
    static constexpr std::size_t kFewestSteps = 8; ///< that an alarm takes
    static constexpr std::size_t kLearned = 24;    ///< values before the test begins

    enum class Change { None, Began, Ended };

    /// `shift`: the smallest one that matters. `reference`: what the value is without it; null: it is learned
    /// from the first values.
    explicit ShiftTest(double shift, std::optional<double> reference = std::nullopt)
        : m_shift(shift), m_reference(reference)
    {}

    Change add(double value);
    [[nodiscard]] bool isShifted() const { return m_shifted; }
    /// Of the latest values.
    [[nodiscard]] double level() const;
    [[nodiscard]] std::optional<double> reference() const { return m_reference; }

private:
    void remember(double value);
    [[nodiscard]] double noise() const;

    double m_shift;
    std::optional<double> m_reference;
    std::deque<double> m_values; ///< from which the noise is estimated
    std::deque<double> m_latest; ///< a few
    std::size_t m_sinceNoise = 0;
    double m_noise = 0; ///< 0: not estimated yet
    double m_sum = 0;
    bool m_shifted = false;
};

} // namespace ringside::live
