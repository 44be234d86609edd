// SPDX-License-Identifier: Apache-2.0
// Finds hosts with active RDMA ports whose data went through sockets: every byte then passes the kernel and
// is copied, at a fraction of the rate.
#include "rules/shared/ports.h"
#include "rules/shared/settings.h"

#include <map>

namespace ringside::rules::rule_rdma_unused {
namespace {

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
std::string cause(const Context& context)
{
    for (const trace::ProcessTrace& process : context.run.trace.processes) {
        const auto disabled = foreignSettingOf(process, "environment", "NCCL_IB_DISABLE");
        const auto net = foreignSettingOf(process, "environment", "NCCL_NET");
        if (disabled && *disabled != "0") {
            return fmt::format("NCCL_IB_DISABLE={} is set", *disabled);
        }
        if (net && (*net == "Socket" || *net == "socket")) {
            return fmt::format("NCCL_NET={} is set", *net);
        }
    }
    return {};
}

Outcome run(const Context& context)
{
    if (context.run.hosts.size() < 2) {
        return NotApplicable{"all ranks are on one host"};
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
        addEvidence(context, *host.port, host.port->sampled(), "the sampled part of the run", finding);
    }
    if (!known) {
        return NotApplicable{"needs the traffic of RDMA ports and of interfaces (tier sampled, sources rdma "
                             "and network) of the same host"};
    }
    if (finding.links.empty()) {
        return std::vector<Finding>{};
    }
    const std::string why = cause(context);
    finding.severity = Severity::Warning;
    finding.limit = Limit::Settings;
    finding.title = fmt::format("{} {} up, but {} went through sockets and {} through RDMA{}{}",
                                portsText(finding.links), finding.links.size() == 1 ? "is" : "are",
                                byteText(sockets), byteText(rdma), why.empty() ? "" : ": ", why);
    finding.figures = {{"rdma_part", Unit::Share, rdma / sockets, context.option("part")}};
    finding.settings = {"NCCL_IB_DISABLE", "NCCL_IB_HCA", "NCCL_NET"};
    finding.advice = "Check the line `NET/IB` or `NET/Socket` of `NCCL_DEBUG=INFO`. Unset NCCL_IB_DISABLE, "
                     "let NCCL_IB_HCA name these ports, and in containers pass /dev/infiniband in, with "
                     "libibverbs and no limit on locked memory.";
    return std::vector<Finding>{finding};
}

} // namespace

RINGSIDE_RULE(
    rdma_unused, .title = "RDMA is available but not used", .needs = "sampled (rdma, network)",
    .options = kOptions, .run = run,
    .help =
        "Bytes that active RDMA ports sent, compared with those that the host's interfaces sent. The cost is "
        "not estimated: it is the time that collectives between hosts would save at the port's rate.");

} // namespace ringside::rules::rule_rdma_unused
