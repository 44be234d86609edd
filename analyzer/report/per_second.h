// SPDX-License-Identifier: Apache-2.0
// If no step was found in a recording, figures are given per second. Rules write about steps; this unit
// adapts their text.
#pragma once
#include "model/model.h"
#include "rules/rule.h"

#include <string>
#include <string_view>

namespace ringside::report {

/// Returns what figures refer to: "step" or "second".
[[nodiscard]] std::string_view periodWord(const model::Model& model);

/// Rewrites title, evidence and cost of a finding to refer to seconds. Figures get names with "per_second".
void convertToPerSecond(rules::Finding& finding);

} // namespace ringside::report
