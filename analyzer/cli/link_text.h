// SPDX-License-Identifier: Apache-2.0
// How `ringside links` prints: a table of ports and what is wrong with them, JSON, or Prometheus' text.
#pragma once
#include "report/report.h"

#include <string>

namespace ringside::cli {

[[nodiscard]] std::string linksText(const report::Report& report);
/// {"schema": "ringside-links/1", "health", "links", "findings"}; links as in the report.
[[nodiscard]] std::string linksJsonText(const report::Report& report);
[[nodiscard]] std::string linksPrometheus(const report::Report& report);

} // namespace ringside::cli
