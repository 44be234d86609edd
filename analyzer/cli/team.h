// SPDX-License-Identifier: Apache-2.0
// The processes that work on one command together. `ringside` is one process; `ringside-mpi` is several.
#pragma once
#include "stretches/team.h"

namespace ringside::cli {

/// Returns null if this process works alone.
[[nodiscard]] stretches::Team* team();
/// `team` must outlive the command.
void setTeam(stretches::Team& team);

} // namespace ringside::cli
