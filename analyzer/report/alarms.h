// SPDX-License-Identifier: Apache-2.0
// The alarms that the run had while it was recorded, as a table.
#pragma once
#include "document/table.h"
#include "report/report.h"

namespace ringside::report {

/// No rows if there were none.
[[nodiscard]] document::Table alarmTable(const Report& report);

/// ns after run.started_at, of a time in ms since 1970; null where the beginning of the run is not known.
[[nodiscard]] std::optional<std::int64_t> sinceStartNs(const Report& report, std::int64_t epochMs);

} // namespace ringside::report
