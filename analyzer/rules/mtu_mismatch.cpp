// SPDX-License-Identifier: Apache-2.0
// RoCE puts as much into a packet as the interface's MTU leaves room for, InfiniBand as the subnet manager
// set. A small one costs headers and work a packet; different ones at the two ends cost the connection.
#include "rules/shared/ports.h"

#include <map>

namespace ringside::rules::rule_mtu_mismatch {
namespace {

constexpr Option kOptions[] = {
    {"mtu", 4096, "bytes of payload in a packet, at least: the largest there is"},
};

/// Ports of one MTU.
using ByMtu = std::map<std::int64_t, std::vector<const metrics::Port*>>;

/// By link layer: InfiniBand and RoCE do not talk to each other.
std::map<std::string_view, ByMtu> mtusByLayer(const Context& context)
{
    constexpr std::int64_t kActive = 4;
    std::map<std::string_view, ByMtu> result;
    for (const metrics::Port& port : context.figures.ports) {
        if (const auto mtu = port.last("mtu_bytes"); mtu && port.last("state") == std::optional(kActive)) {
            result[port.fact("link_layer")][*mtu].push_back(&port);
        }
    }
    return result;
}

/// What is possible, as far as the device tells it.
double possible(const Context& context, const std::vector<const metrics::Port*>& ports)
{
    double most = context.option("mtu");
    for (const metrics::Port* port : ports) {
        if (const auto largest = port->last("mtu_max_bytes")) {
            most = std::min(most, static_cast<double>(*largest));
        }
    }
    return most;
}

std::optional<Finding> judge(const Context& context, const ByMtu& mtus)
{
    const bool differ = mtus.size() > 1;
    const auto& [smallest, ports] = *mtus.begin();
    if (!differ && static_cast<double>(smallest) >= possible(context, ports)) {
        return std::nullopt;
    }
    Finding finding;
    finding.severity = Severity::Info;
    for (const metrics::Port* port : ports) {
        finding.severity =
            std::max(finding.severity, asUsed(*port, differ ? Severity::Problem : Severity::Warning));
        finding.links.push_back(port->label());
    }
    finding.limit = Limit::Settings;
    finding.title = differ ? fmt::format("{}: packets of {} bytes, on other ports of this run of {}",
                                         portsText(finding.links), smallest, mtus.rbegin()->first)
                           : fmt::format("{}: packets of {} bytes, where up to {:.0f} are possible",
                                         portsText(finding.links), smallest, possible(context, ports));
    finding.figures = {{"mtu_bytes", Unit::Bytes, static_cast<double>(smallest), context.option("mtu")}};
    addEvidence(context, *ports.front(), ports.front()->sampled(), "as long as it was sampled", finding);
    finding.settings = {"mtu"};
    finding.advice =
        "RoCE: raise the interface's MTU on every host and every switch of the path (`ip link set DEV mtu "
        "4200` "
        "or 9000), the same everywhere. InfiniBand: raise the partition's MTU at the subnet manager.";
    return finding;
}

Outcome run(const Context& context)
{
    const auto layers = mtusByLayer(context);
    if (layers.empty()) {
        return NotApplicable{
            "needs the MTU of active RDMA ports (tier sampled, source rdma): this run has none, or "
            "neither libibverbs nor sysfs told it"};
    }
    std::vector<Finding> findings;
    for (const auto& [layer, mtus] : layers) {
        if (auto finding = judge(context, mtus)) {
            findings.push_back(std::move(*finding));
        }
    }
    return findings;
}

} // namespace

RINGSIDE_RULE(
    mtu_mismatch, .title = "RDMA packets are small, or differ between ports", .needs = "sampled (rdma)",
    .options = kOptions, .run = run,
    .help =
        "What libibverbs tells of a port's MTU and its largest; without it, what follows for RoCE from the "
        "interface's MTU, and nothing of InfiniBand. Ports are compared with those of the same link layer.",
    .judgesLinks = true);

} // namespace ringside::rules::rule_mtu_mismatch
