// SPDX-License-Identifier: Apache-2.0
// Formats the output of `ringside links`: a table of ports with their faults, JSON, or Prometheus text.
#pragma once
#include "document/table.h"
#include "report/report.h"

#include <string>

namespace ringside::report {

/// One row per port: state, rate, traffic, health, and counters that increased.
[[nodiscard]] document::Table portTable(const Report& report);
[[nodiscard]] std::string linksText(const Report& report, std::size_t width);
/// Returns {"schema": "ringside-links/1", "health", "links", "findings"}, with links as in the JSON report.
[[nodiscard]] std::string linksJsonText(const Report& report);
[[nodiscard]] std::string linksPrometheus(const Report& report);

} // namespace ringside::report
