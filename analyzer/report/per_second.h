// SPDX-License-Identifier: Apache-2.0
// Of a recording in which no step was found, figures are those of a second. Rules speak of steps; here their
// words are made to fit.
#pragma once
#include "model/model.h"
#include "rules/rule.h"

#include <string>
#include <string_view>

namespace ringside::report {

/// What figures are given for: "step" or "second".
[[nodiscard]] std::string_view periodWord(const model::Model& model);

/// Its title, evidence and cost; figures get names with "per_second".
void sayPerSecond(rules::Finding& finding);

} // namespace ringside::report
