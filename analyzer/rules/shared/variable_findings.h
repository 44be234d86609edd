// SPDX-License-Identifier: Apache-2.0
// What the rules about environment variables share: the judgement of every rank's environment, one finding
// for what is wrong in the same way on several ranks.
#pragma once
#include "rules/shared/settings.h"
#include "settings/variables.h"

namespace ringside::rules {

/// Findings of one kind of trouble; not applicable where no rank's environment was recorded.
[[nodiscard]] Outcome variableFindings(const Context& context, settings::Trouble trouble);

} // namespace ringside::rules
