// SPDX-License-Identifier: Apache-2.0
// The links of a run as reports and `ringside links` show them: traffic, increase of counters, and health.
// The health of a port is the worst severity that a rule found for it. A port without findings is ok if its
// state is known or its counters were read twice, else not measured.
#pragma once
#include "metrics/link_use.h"
#include "report/report.h"

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace ringside::report {

enum class Health : std::uint8_t { NotMeasured, Ok, Warning, Problem };
[[nodiscard]] std::string_view healthName(Health health);

/// Returns the worst health of all ports and of findings of rules that check links. NotMeasured if no port
/// and no NVLink counter was measured, and no rule found a fault.
[[nodiscard]] Health linkHealth(const Report& report);
[[nodiscard]] Health healthOf(const Report& report, const metrics::Port& port);
/// Returns the findings of rules that check links.
[[nodiscard]] std::vector<const rules::Finding*> linkFindings(const Report& report);

/// Returns the kernel's name of a port state: 4 is "ACTIVE".
[[nodiscard]] std::string_view stateName(std::optional<std::int64_t> state);

/// A port of an RDMA device or a network interface, with its use.
struct Link {
    std::string_view kind; ///< "rdma" or "network"
    metrics::Port port;
    metrics::LinkUse use;
};
/// Returns the RDMA ports, then the interfaces. Computed on each call, so call it once.
[[nodiscard]] std::vector<Link> linksOf(const Report& report);
/// Returns one sentence on the traffic of the busiest links in communication, or why it is not known.
[[nodiscard]] std::string linkSentence(const Report& report);

/// Returns the array `links` of ringside-report-1.
[[nodiscard]] nlohmann::ordered_json linksJson(const Report& report);

} // namespace ringside::report
