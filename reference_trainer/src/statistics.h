// SPDX-License-Identifier: Apache-2.0
// Percentiles of step times.
#pragma once
#include <optional>
#include <vector>

namespace ringside::trainer {

/// Returns the value at a fraction (0 to 1) of the sorted values, nearest rank; nothing if there are no
/// values.
[[nodiscard]] std::optional<double> percentile(std::vector<double> values, double fraction);

} // namespace ringside::trainer
