// SPDX-License-Identifier: Apache-2.0
// Checks the MTU of RDMA ports. For RoCE it follows from the interface's MTU, for InfiniBand the subnet
// manager sets it. A small MTU costs headers and work per packet. If the two ends differ, connections fail.
#include "words/mtu_mismatch.h"

#include "rules/shared/port_peers.h"
#include "words/span.h"

#include <map>

namespace ringside::rules::rule_mtu_mismatch {
namespace {

namespace text = words::mtu_mismatch;

constexpr Option kOptions[] = {
    {"mtu", 4096, "least payload of a packet, bytes (the default is the largest RDMA MTU)"},
};

/// Ports by their MTU in bytes.
using ByMtu = std::map<std::int64_t, std::vector<const metrics::Port*>>;

/// Ports that talk with each other: InfiniBand and RoCE do not, nor do rails with a bond for storage.
struct Group {
    std::string_view layer;
    PortRole role = PortRole::Rail;
    auto operator<=>(const Group&) const = default;
};

/// iWARP is TCP with the interface's MTU, EFA has its own packets: neither has an MTU of InfiniBand.
bool hasMtu(const metrics::Port& port)
{
    return isActive(port) && port.last("mtu_bytes") && !isEfa(port) && port.fact("transport") != "iWARP";
}

std::map<Group, ByMtu> mtusByGroup(const Context& context)
{
    std::map<Group, ByMtu> result;
    for (const metrics::Port& port : context.figures.ports) {
        if (hasMtu(port)) {
            result[{port.fact("link_layer"), roleOf(context, port)}][*port.last("mtu_bytes")].push_back(
                &port);
        }
    }
    return result;
}

/// Returns the largest possible MTU, limited by what the devices report.
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

/// Small packets of a port that is no rail are information: it does not carry the job's collectives.
std::optional<Finding> checkMtus(const Context& context, const Group& group, const ByMtu& mtus)
{
    const bool differ = mtus.size() > 1;
    const auto& [smallest, ports] = *mtus.begin();
    if (!differ && static_cast<double>(smallest) >= possible(context, ports)) {
        return std::nullopt;
    }
    Finding finding;
    finding.severity = Severity::Info;
    for (const metrics::Port* port : ports) {
        const Severity small = group.role == PortRole::Rail ? Severity::Warning : Severity::Info;
        finding.severity =
            std::max(finding.severity, severityIfUsed(*port, differ ? Severity::Problem : small));
        finding.links.push_back(port->label());
    }
    finding.limit = Limit::Settings;
    finding.title = differ ? say(text::differ, {{"ports", portsText(finding.links)},
                                                {"smallest", smallest},
                                                {"largest", mtus.rbegin()->first}})
                           : say(text::small, {{"ports", portsText(finding.links)},
                                               {"smallest", smallest},
                                               {"possible", possible(context, ports)}});
    finding.figures = {{"mtu_bytes", Unit::Bytes, static_cast<double>(smallest), context.option("mtu")}};
    addEvidence(context, *ports.front(), ports.front()->sampled(), words::span::sampled, finding);
    finding.settings = {"mtu"};
    finding.advice = text::remedy;
    return finding;
}

Outcome run(const Context& context)
{
    const auto groups = mtusByGroup(context);
    if (groups.empty()) {
        return NotApplicable{text::not_measured};
    }
    std::vector<Finding> findings;
    for (const auto& [group, mtus] : groups) {
        if (auto finding = checkMtus(context, group, mtus)) {
            findings.push_back(std::move(*finding));
        }
    }
    return findings;
}

} // namespace

RINGSIDE_RULE(mtu_mismatch, .title = text::heading, .needs = {{"sampled"}, " (rdma)"}, .options = kOptions,
              .run = run, .help = text::help, .checksLinks = true);

} // namespace ringside::rules::rule_mtu_mismatch
