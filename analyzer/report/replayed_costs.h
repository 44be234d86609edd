// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "report/report.h"

namespace ringside::report {

/// Figure of a finding whose cost a replay says: the error of that replay.
inline constexpr const char* kReplayError = "replay_error_ns";

/// Replaces the cost of findings by the saving of a replay of the step without their cause, if a replay is
/// possible. The severity is lowered to what this cost supports. A late rank keeps the measured waiting as
/// its cost, with a remark, if its own timeline does not explain the waiting and the replay saves less,
/// unless it is behind a slow link. There is one replay per finding; runs with more than a million device
/// operations keep the rules' own estimates, so that a report stays fast.
void useReplayedCosts(Report& report, const rules::OptionValues& options);

} // namespace ringside::report
