// SPDX-License-Identifier: Apache-2.0
// Finds data between hosts that went over a slower interface than the host has. It is often the management
// network, because NCCL chose the first interface it found, or because the host's name resolves to it.
#include "words/socket_interface.h"

#include "rules/shared/sockets.h"

namespace ringside::rules::rule_socket_interface {
namespace {

namespace text = words::socket_interface;

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
    words::Text slowest;
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
        addEvidence(context, host, say(text::sent, {{"interface", used->name}, {"bytes", used->sentBytes}}),
                    finding);
        const double ratio = static_cast<double>(better->mbps) / static_cast<double>(used->mbps);
        if (ratio > speedUp) {
            speedUp = ratio;
            slowest = say(text::title, {{"host", host.name},
                                        {"bytes", used->sentBytes},
                                        {"used", used->name},
                                        {"rate", static_cast<double>(used->mbps) / 1000},
                                        {"better", better->name},
                                        {"possible", static_cast<double>(better->mbps) / 1000}});
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
    finding.title = std::move(slowest);
    if (hosts.size() > 1) {
        finding.title += say(text::hosts, {{"hosts", hosts.size()}});
    }
    finding.figures = {{"speed_ratio", Unit::Ratio, speedUp, context.option("times")}};
    finding.settings = {"NCCL_SOCKET_IFNAME", "GLOO_SOCKET_IFNAME"};
    finding.advice = text::remedy;
    return std::vector<Finding>{finding};
}

} // namespace

RINGSIDE_RULE(socket_interface, .title = text::heading, .needs = {{"sampled"}, " (network, host_network)"},
              .options = kOptions, .run = run, .help = text::help);

} // namespace ringside::rules::rule_socket_interface
