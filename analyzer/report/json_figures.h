// SPDX-License-Identifier: Apache-2.0
// The parts of the JSON report that are figures of the run and of its ranks.
#pragma once
#include "output/json_value.h"
#include "report/report.h"

namespace ringside::report {

[[nodiscard]] Json summaryJson(const Report& report);
[[nodiscard]] Json stepsJson(const Report& report);
[[nodiscard]] Json ranksJson(const Report& report); ///< one entry for each rank, measured or not

} // namespace ringside::report
