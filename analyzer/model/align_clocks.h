// SPDX-License-Identifier: Apache-2.0
// Puts the clocks of all hosts on that of the first: run time.
#pragma once
#include "model/model.h"

namespace ringside::model {

/// Sets the clocks of all ranks and hosts, and when the run began. They are fitted to the ends of matched
/// collectives and messages, or taken from `clocks` if that has all hosts. A host that nothing ties to
/// the others gets the time of day, and an issue. Needs operations and messages.
void alignClocks(Model& model, const std::vector<HostClock>& clocks);

} // namespace ringside::model
