// SPDX-License-Identifier: Apache-2.0
// The alarms that the run had while it was recorded, as a table.
#pragma once
#include "report/report.h"
#include "report/table.h"

namespace ringside::report {

inline constexpr std::string_view kAlarmsTitle = "Alarms while it ran";

/// No rows if there were none.
[[nodiscard]] Table alarmTable(const Report& report);

/// ns after run.started_at, of a time in ms since 1970; null where the beginning of the run is not known.
[[nodiscard]] std::optional<std::int64_t> sinceStartNs(const Report& report, std::int64_t epochMs);

} // namespace ringside::report
