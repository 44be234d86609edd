// SPDX-License-Identifier: Apache-2.0
// Finds hosts with active RDMA ports whose data went through sockets: every byte then passes the kernel and
// is copied, at a fraction of the rate.
#include "words/rdma_unused.h"

#include "rules/shared/ports.h"
#include "rules/shared/sockets.h"
#include "words/span.h"

#include <map>

namespace ringside::rules::rule_rdma_unused {
namespace {

namespace text = words::rdma_unused;

constexpr Option kOptions[] = {
    {"part", 0.1,
     "RDMA ports count as unused if they sent less than this share of the bytes that the host's interfaces "
     "sent"},
    {"min_bytes", 1e8, "fewest bytes that a host's interfaces sent: less cannot be the gradients of a run"},
};

struct HostTraffic {
    std::optional<double> rdma;    ///< bytes of its active ports; null if not measured
    std::optional<double> sockets; ///< bytes of its interfaces; null if not measured
    const metrics::Port* port = nullptr;
};

std::map<std::string, HostTraffic> rdmaByHost(const Context& context)
{
    constexpr std::int64_t kActive = 4;
    std::map<std::string, HostTraffic> hosts;
    for (const metrics::Port& port : context.figures.ports) {
        const auto bytes = port.gain("tx_bytes");
        if (bytes && port.last("state") == std::optional(kActive)) {
            HostTraffic& host = hosts[port.host];
            host.rdma = host.rdma.value_or(0) + static_cast<double>(*bytes);
            host.port = &port;
        }
    }
    return hosts;
}

/// Adds what all interfaces except the loopback sent. Overlay networks count twice, which only inflates
/// sockets that are busy anyway.
void addSockets(const Context& context, std::map<std::string, HostTraffic>& hosts)
{
    for (const trace::ProcessTrace& process : context.run.trace.processes) {
        const auto host = hosts.find(process.process.host);
        for (const trace::SeriesRow& row : process.series) {
            if (host == hosts.end() || row.source != "network" || row.metric != "tx_bytes" ||
                row.entity == "lo") {
                continue;
            }
            constexpr std::int64_t kFar = std::numeric_limits<std::int64_t>::max();
            if (const auto gain =
                    metrics::gainIn(process, {row.source, row.entity, row.metric}, {-kFar, kFar})) {
                host->second.sockets = host->second.sockets.value_or(0) + static_cast<double>(*gain);
            }
        }
    }
}

/// Returns the environment variable that explains it, with its value; empty if there is none.
words::Text cause(const Context& context)
{
    for (const trace::ProcessTrace& process : context.run.trace.processes) {
        const auto disabled = foreignSettingOf(process, "environment", "NCCL_IB_DISABLE");
        const auto net = foreignSettingOf(process, "environment", "NCCL_NET");
        if (disabled && *disabled != "0") {
            return say(text::set, {{"variable", "NCCL_IB_DISABLE"}, {"value", *disabled}});
        }
        if (net && (*net == "Socket" || *net == "socket")) {
            return say(text::set, {{"variable", "NCCL_NET"}, {"value", *net}});
        }
    }
    return {};
}

Outcome run(const Context& context)
{
    if (context.run.hosts.size() < 2) {
        return kOneHost;
    }
    std::map<std::string, HostTraffic> hosts = rdmaByHost(context);
    addSockets(context, hosts);
    Finding finding;
    bool known = false;
    double sockets = 0;
    double rdma = 0;
    for (const auto& [name, host] : hosts) {
        known = known || (host.rdma && host.sockets);
        if (!host.sockets || *host.sockets < context.option("min_bytes") ||
            *host.rdma >= context.option("part") * *host.sockets) {
            continue;
        }
        sockets += *host.sockets;
        rdma += *host.rdma;
        finding.links.push_back(host.port->label());
        addEvidence(context, *host.port, host.port->sampled(), words::span::sampled, finding);
    }
    if (!known) {
        return NotApplicable{text::not_measured};
    }
    if (finding.links.empty()) {
        return std::vector<Finding>{};
    }
    finding.severity = Severity::Warning;
    finding.limit = Limit::Settings;
    finding.title = say(text::title, {{"ports", portsText(finding.links)},
                                      {"count", finding.links.size()},
                                      {"sockets", sockets},
                                      {"rdma", rdma},
                                      {"why", cause(context)}});
    finding.figures = {{"rdma_part", Unit::Share, rdma / sockets, context.option("part")}};
    finding.settings = {"NCCL_IB_DISABLE", "NCCL_IB_HCA", "NCCL_NET"};
    finding.advice = text::remedy;
    return std::vector<Finding>{finding};
}

} // namespace

RINGSIDE_RULE(rdma_unused, .title = text::heading, .needs = {{"sampled"}, " (rdma, network)"},
              .options = kOptions, .run = run, .help = text::help);

} // namespace ringside::rules::rule_rdma_unused
