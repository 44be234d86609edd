// SPDX-License-Identifier: Apache-2.0
// The links of a run as reports and `ringside links` show them: what each port carried, what its counters
// gained, and how well it is, which is the worst that a rule said of it.
#pragma once
#include "report/report.h"

#include <nlohmann/json_fwd.hpp>

namespace ringside::report {

enum class Health : std::uint8_t { NotMeasured, Ok, Warning, Problem };
[[nodiscard]] std::string_view healthName(Health health);

/// Of all links; not measured where no RDMA port and no NVLink counter was sampled.
[[nodiscard]] Health linkHealth(const Report& report);
[[nodiscard]] Health healthOf(const Report& report, const metrics::Port& port);
/// The findings of rules that judge links.
[[nodiscard]] std::vector<const rules::Finding*> linkFindings(const Report& report);

/// What is a counter and what a state, of a port's metrics.
[[nodiscard]] bool isState(std::string_view metric);
/// "ACTIVE" of 4, as the kernel numbers them.
[[nodiscard]] std::string_view stateName(std::optional<std::int64_t> state);

/// Array `links` of ringside-report-1.
[[nodiscard]] nlohmann::ordered_json linksJson(const Report& report);

} // namespace ringside::report
