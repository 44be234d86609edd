// SPDX-License-Identifier: Apache-2.0
// Cases of the rules about settings.
#pragma once
#include "rule_cases.h"

namespace ringside::test {

[[nodiscard]] std::vector<RuleCase> settingsCases();

} // namespace ringside::test
