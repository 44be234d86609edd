// SPDX-License-Identifier: Apache-2.0
// Refusals of changes for which a run lacks data. Each message names what the recording lacks, and how to
// record it.
#pragma once
#include "whatif/plan.h"

namespace ringside::whatif {

/// Throws ringside::Error (Unusable) if the plan holds fewer than two ranks.
void requireRanks(const Plan& plan, std::string_view what);

/// Throws ringside::Error (Unusable) if no collective of the step could be matched on its ranks.
void requireCollectives(const Plan& plan);

/// Throws ringside::Error (Unusable) if the step has no gradient message.
void requireGradients(const Plan& plan);

/// Throws ringside::Error (Unusable) if the step has no map of used parameters.
void requireUsedMaps(const Plan& plan);

/// Throws ringside::Error (Unusable) if a message's latency cannot be separated from its bandwidth.
void requireLine(const PlannedSlot& slot);

} // namespace ringside::whatif
