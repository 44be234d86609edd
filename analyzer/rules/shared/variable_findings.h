// SPDX-License-Identifier: Apache-2.0
// Checks every rank's environment for the rules about environment variables. The same problem on several
// ranks becomes one finding.
#pragma once
#include "rules/shared/settings.h"
#include "settings/variables.h"

namespace ringside::rules {

/// Returns the findings of one kind of trouble. Not applicable if no rank's environment was recorded.
[[nodiscard]] Outcome variableFindings(const Context& context, settings::Trouble trouble);

} // namespace ringside::rules
