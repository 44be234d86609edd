// SPDX-License-Identifier: Apache-2.0
// The cases of the rules that look at what ranks were told, not at what they did.
#pragma once
#include "rule_cases.h"

namespace ringside::test {

[[nodiscard]] std::vector<RuleCase> settingsCases();

} // namespace ringside::test
