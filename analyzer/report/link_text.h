// SPDX-License-Identifier: Apache-2.0
// How `ringside links` prints: a table of ports and what is wrong with them, JSON, or Prometheus' text.
#pragma once
#include "report/report.h"
#include "report/table.h"

#include <string>

namespace ringside::report {

/// A row a port: state, rate, what it carried, how well it is, counters that moved.
[[nodiscard]] Table portTable(const Report& report);
[[nodiscard]] std::string linksText(const Report& report, std::size_t width);
/// {"schema": "ringside-links/1", "health", "links", "findings"}; links as in the report.
[[nodiscard]] std::string linksJsonText(const Report& report);
[[nodiscard]] std::string linksPrometheus(const Report& report);

} // namespace ringside::report
