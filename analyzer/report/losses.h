// SPDX-License-Identifier: Apache-2.0
// The findings of a report as people read them: one loss once, with what restates it.
#pragma once
#include "report/report.h"

#include <vector>

namespace ringside::report {

/// Returns the findings that restate no other: first what is broken, then the one that the verdict names,
/// then by cost. The pointers belong to `report`.
[[nodiscard]] std::vector<const rules::Finding*> lossesOf(const Report& report);
/// Returns the findings that restate `loss`, in the order of the report.
[[nodiscard]] std::vector<const rules::Finding*> restatementsOf(const Report& report,
                                                                const rules::Finding& loss);

} // namespace ringside::report
