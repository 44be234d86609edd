// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "report/report.h"

namespace ringside::report {

/// Where a replay of the step without a finding's cause is possible and meets what was measured, its saving
/// is the finding's cost, and no severity is higher than that bears out. A late rank whose own timeline does
/// not explain the waiting, and less of it in the replay, keeps what was waited for it, and says so, but
/// behind a slow link. One replay a finding; runs of more than a million device operations keep the rules'
/// own estimates, so that a report stays quick.
void useReplayedCosts(Report& report, const rules::OptionValues& options);

} // namespace ringside::report
