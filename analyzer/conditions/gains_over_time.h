// SPDX-License-Identifier: Apache-2.0
// What a counter gained, between any two moments.
#pragma once
#include "values/interval.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace ringside::conditions {

/// What a counter gained between two readings.
struct Gain {
    values::Interval between; ///< the times of the two readings, in run time
    std::int64_t gain = 0;
};

/// The gains of one counter, prepared for many queries. A query costs the logarithm of the number of
/// readings.
class GainsOverTime {
public:
    explicit GainsOverTime(std::vector<Gain> gains);
    /// Returns the gain per ns in the span. The gain between two readings is spread evenly over the time
    /// between them. Null if less than 90 % of the span is measured, or the span is shorter than the time
    /// between readings.
    [[nodiscard]] std::optional<double> perNs(const values::Interval& span) const;

private:
    std::vector<Gain> m_gains;
    std::vector<double> m_before;              ///< sum of the gains before each one; the last is the total
    std::vector<std::int64_t> m_coveredBefore; ///< the same for the time between readings, ns
};

} // namespace ringside::conditions
