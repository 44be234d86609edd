// SPDX-License-Identifier: Apache-2.0
// The data between hosts went over an interface that is slower than another one of the same host: the
// management network, mostly, because NCCL took the first it found or the host's name resolves to it.
#include "rules/shared/sockets.h"

namespace ringside::rules::rule_socket_interface {
namespace {

constexpr Option kOptions[] = {
    {"times", 2, "times the speed of the interface that carried the data, which another one has, at least"},
    {"min_bytes", kGradientBytes, "bytes that an interface sent, at least: less is no gradients"},
};

/// A faster card that is up and is not part of the interface itself; null: there is none.
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
    finding.title = words + (hosts.size() > 1 ? fmt::format("; {} hosts do so", hosts.size()) : "");
    finding.figures = {{"speed_ratio", Unit::Ratio, speedUp, context.option("times")}};
    finding.settings = {"NCCL_SOCKET_IFNAME", "GLOO_SOCKET_IFNAME"};
    finding.advice =
        "Set NCCL_SOCKET_IFNAME (and GLOO_SOCKET_IFNAME) to the fast interface on every host, by "
        "a prefix where names differ, and see that it has an address the others reach. Data "
        "loading over the network counts as well: compare with `NCCL_DEBUG=INFO`, NET/Socket.";
    return std::vector<Finding>{finding};
}

} // namespace

RINGSIDE_RULE(socket_interface, .title = "Data went over a slow interface",
              .needs = "sampled (network, host_network)", .options = kOptions, .run = run,
              .help =
                  "The interface of each host that sent most, against the other cards of the host that are "
                  "up. All its traffic counts, that of other programs too. The cost is not estimated: "
                  "collectives between hosts would take less by up to the ratio of the speeds.");

} // namespace ringside::rules::rule_socket_interface
