// SPDX-License-Identifier: Apache-2.0
// How sure a verdict is. Each condition is one row: what must hold, and how sure the verdict is at most where
// it does not. docs/analysis.md shows the same rows; a test holds them together.
#pragma once
#include "report/report.h"

#include <span>
#include <vector>

namespace ringside::report {

[[nodiscard]] std::span<const Condition> confidenceConditions();
/// Judges all conditions, in the order of the table.
[[nodiscard]] std::vector<Judged> judgeConfidence(const Report& report, const rules::Finding* first);
/// Returns the broken condition that limits the confidence most, the first of equals; null if all hold.
[[nodiscard]] const Judged* weakest(std::span<const Judged> judged);

} // namespace ringside::report
