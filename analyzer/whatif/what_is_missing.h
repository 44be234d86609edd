// SPDX-License-Identifier: Apache-2.0
// Refusals of changes that a run cannot bear out: each says what the recording lacks, and what would have it.
#pragma once
#include "whatif/plan.h"

namespace ringside::whatif {

/// Throws ringside::Error (Unusable) where the plan holds fewer than two ranks.
void requireRanks(const Plan& plan, std::string_view what);

/// Throws ringside::Error (Unusable) where no collective of the step could be matched on its ranks.
void requireCollectives(const Plan& plan);

/// Throws ringside::Error (Unusable) where no gradient message is among them.
void requireGradients(const Plan& plan);

/// Throws ringside::Error (Unusable) where no map of used parameters is among them.
void requireUsedMaps(const Plan& plan);

/// Throws ringside::Error (Unusable) where a message's latency cannot be told from its bandwidth.
void requireLine(const PlannedSlot& slot);

} // namespace ringside::whatif
