// SPDX-License-Identifier: Apache-2.0
// RoCE puts as much into a packet as the interface's MTU leaves room for. A small one costs headers and work
// a packet; different ones at the two ends cost the connection.
#include "rules/ports.h"

#include <map>
#include <set>

namespace ringside::rules {
namespace {

constexpr Option kOptions[] = {
    {"mtu", 4096, "bytes of payload in a RoCE packet, at least: the largest there is"},
};

/// Ports of one MTU.
using ByMtu = std::map<std::int64_t, std::vector<const metrics::Port*>>;

ByMtu byMtu(const Context& context)
{
    constexpr std::int64_t kActive = 4;
    ByMtu result;
    for (const metrics::Port& port : context.figures.ports) {
        if (const auto mtu = port.last("mtu_bytes"); mtu && port.last("state") == std::optional(kActive)) {
            result[*mtu].push_back(&port);
        }
    }
    return result;
}

Outcome run(const Context& context)
{
    const ByMtu mtus = byMtu(context);
    if (mtus.empty()) {
        return NotApplicable{
            "needs samples of active RoCE ports (tier sampled, source rdma): this run has none, or "
            "their interfaces' MTU is not in sysfs"};
    }
    const bool differ = mtus.size() > 1;
    const auto& [smallest, ports] = *mtus.begin();
    if (!differ && static_cast<double>(smallest) >= context.option("mtu")) {
        return std::vector<Finding>{};
    }
    Finding finding;
    finding.severity = Severity::Info;
    for (const metrics::Port* port : ports) {
        finding.severity =
            std::max(finding.severity, asUsed(*port, differ ? Severity::Problem : Severity::Warning));
        finding.links.push_back(port->label());
    }
    finding.limit = Limit::Settings;
    finding.title = differ ? fmt::format("{}: RoCE packets of {} bytes, on other ports of this run of {}",
                                         portsText(finding.links), smallest, mtus.rbegin()->first)
                           : fmt::format("{}: RoCE packets of {} bytes, where up to 4096 are possible",
                                         portsText(finding.links), smallest);
    finding.figures = {{"mtu_bytes", Unit::Bytes, static_cast<double>(smallest), context.option("mtu")}};
    addEvidence(context, *ports.front(), ports.front()->sampled(), "as long as it was sampled", finding);
    finding.settings = {"mtu"};
    finding.advice =
        "Raise the interface's MTU on every host and every switch of the path (`ip link set DEV mtu 4200` "
        "or 9000), the same everywhere.";
    return std::vector<Finding>{finding};
}

} // namespace
} // namespace ringside::rules

RINGSIDE_RULE(
    mtu_mismatch, .title = "RoCE packets are small, or differ between ports", .needs = "sampled (rdma)",
    .options = ringside::rules::kOptions, .run = ringside::rules::run,
    .help = "The payload of a RoCE packet follows from the interface's MTU. That of InfiniBand ports is not "
            "in sysfs.",
    .judgesLinks = true);
