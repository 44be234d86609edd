// SPDX-License-Identifier: Apache-2.0
// The links of a run as reports and `ringside links` show them: what each port carried, what its counters
// gained, and how well it is, which is the worst that a rule said of it.
#pragma once
#include "metrics/link_use.h"
#include "report/report.h"

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace ringside::report {

enum class Health : std::uint8_t { NotMeasured, Ok, Warning, Problem };
[[nodiscard]] std::string_view healthName(Health health);

/// Of all links; not measured where no RDMA port and no NVLink counter was sampled and no rule found
/// anything.
[[nodiscard]] Health linkHealth(const Report& report);
[[nodiscard]] Health healthOf(const Report& report, const metrics::Port& port);
/// The findings of rules that judge links.
[[nodiscard]] std::vector<const rules::Finding*> linkFindings(const Report& report);

/// "ACTIVE" of 4, as the kernel numbers them.
[[nodiscard]] std::string_view stateName(std::optional<std::int64_t> state);

/// A port of an RDMA device, or an interface of the network, with what it was used for.
struct Link {
    std::string_view kind; ///< "rdma" or "network"
    metrics::Port port;
    metrics::LinkUse use;
};
/// RDMA ports, then interfaces. Computed here: call it once.
[[nodiscard]] std::vector<Link> linksOf(const Report& report);
/// One sentence: what the busiest links carried in communication, or why that is not known.
[[nodiscard]] std::string linkSentence(const Report& report);

/// Array `links` of ringside-report-1.
[[nodiscard]] nlohmann::ordered_json linksJson(const Report& report);

} // namespace ringside::report
