// SPDX-License-Identifier: Apache-2.0
// Finds data between hosts that went over a slower interface than the host has. It is often the management
// network, because NCCL chose the first interface it found, or because the host's name resolves to it.
#include "rules/shared/sockets.h"

namespace ringside::rules::rule_socket_interface {
namespace {

constexpr Option kOptions[] = {
    {"times", 2,
     "warn if another interface is at least this many times as fast as the one that carried the data"},
    {"min_bytes", kGradientBytes,
     "fewest bytes that an interface sent: less cannot be the gradients of a run"},
};

/// Returns a faster card that is up and is not a member of the used interface; null if there is none.
const Interface* faster(const Context& context, const SocketHost& host, const Interface& used)
{
    const Interface* best = nullptr;
    for (const auto& [name, each] : host.interfaces) {
        const bool candidate =
            each.card && each.up && each.master != used.name &&
            static_cast<double>(each.mbps) >= context.option("times") * static_cast<double>(used.mbps);
        best = candidate && (best == nullptr || each.mbps > best->mbps) ? &each : best;
    }
    return best;
}

Outcome run(const Context& context)
{
    if (context.run.hosts.size() < 2) {
        return kOneHost;
    }
    Finding finding;
    bool known = false;
    std::vector<std::string> hosts;
    double speedUp = 0;
    std::string words;
    for (const SocketHost& host : socketHosts(context)) {
        const Interface* const used = host.busiest();
        if (used == nullptr || used->mbps == 0) {
            continue;
        }
        known = true;
        const Interface* const better = faster(context, host, *used);
        if (better == nullptr || !carriesGradients(context, host, *used)) {
            continue;
        }
        hosts.push_back(host.name);
        finding.links.push_back(host.name + " " + used->name);
        addEvidence(context, host, fmt::format("{} sent {}", used->name, byteText(used->sentBytes)), finding);
        const double ratio = static_cast<double>(better->mbps) / static_cast<double>(used->mbps);
        if (ratio > speedUp) {
            speedUp = ratio;
            words = fmt::format("{} sent {} over {} ({:g} Gb/s) while {} ({:g} Gb/s) is up", host.name,
                                byteText(used->sentBytes), used->name, static_cast<double>(used->mbps) / 1000,
                                better->name, static_cast<double>(better->mbps) / 1000);
        }
    }
    if (!known) {
        return kNeedsSockets;
    }
    if (hosts.empty()) {
        return std::vector<Finding>{};
    }
    finding.severity = Severity::Warning;
    finding.limit = Limit::Settings;
    finding.title = words + (hosts.size() > 1 ? fmt::format("; {} hosts are affected", hosts.size()) : "");
    finding.figures = {{"speed_ratio", Unit::Ratio, speedUp, context.option("times")}};
    finding.settings = {"NCCL_SOCKET_IFNAME", "GLOO_SOCKET_IFNAME"};
    finding.advice =
        "Set NCCL_SOCKET_IFNAME (and GLOO_SOCKET_IFNAME) to the fast interface on every host (by a prefix if "
        "names differ), and check that it has an address that the others can reach. Data loading over the "
        "network counts too: compare with the NET/Socket lines of `NCCL_DEBUG=INFO`.";
    return std::vector<Finding>{finding};
}

} // namespace

RINGSIDE_RULE(
    socket_interface, .title = "Data went over a slow interface", .needs = "sampled (network, host_network)",
    .options = kOptions, .run = run,
    .help = "The interface of each host that sent most, compared with the other cards of the host that are "
            "up. All its traffic counts, including that of other programs. The cost is not estimated: "
            "collectives between hosts could be faster by up to the ratio of the speeds.");

} // namespace ringside::rules::rule_socket_interface
