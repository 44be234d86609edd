// SPDX-License-Identifier: Apache-2.0
// Finds hosts whose RDMA ports carried unequal traffic. Each GPU has its own rail. A rail that carries more
// than the others, or none of the traffic, slows down all of them.
#include "rules/shared/port_peers.h"

#include <map>

namespace ringside::rules::rule_nic_imbalance {
namespace {

constexpr Option kOptions[] = {
    {"more", 1.2, "report above this ratio of a port's sent bytes to the median of its host's ports"},
    {"much_more", 1.5, "warn above this ratio"},
    {"idle", 0.1, "warn below this share of the median: the port is hardly used"},
};

struct Rail {
    const metrics::Port* port = nullptr;
    double bytes = 0;
};

/// Returns active rails with measured traffic, grouped by host and rate. A slow port beside fast ones is
/// usually for storage.
std::map<std::pair<std::string, std::int64_t>, std::vector<Rail>> railsOf(const Context& context)
{
    std::map<std::pair<std::string, std::int64_t>, std::vector<Rail>> rails;
    for (const metrics::Port& port : context.figures.ports) {
        const auto bytes = port.gain("tx_bytes");
        if (bytes && isActive(port) && roleOf(context, port) == PortRole::Rail) {
            rails[{port.host, port.last("rate_mbps").value_or(0)}].push_back(
                {&port, static_cast<double>(*bytes)});
        }
    }
    return rails;
}

std::optional<Finding> checkRail(const Context& context, const Rail& rail, double median)
{
    const double ratio = rail.bytes / median;
    const bool idle = ratio < context.option("idle");
    if (!idle && ratio <= context.option("more")) {
        return std::nullopt;
    }
    Finding finding;
    finding.severity = idle || ratio > context.option("much_more") ? Severity::Warning : Severity::Info;
    finding.limit = Limit::Link;
    finding.links = {rail.port->label()};
    finding.title =
        fmt::format("Port {} sent {} in this run, {:.2f} times the median of its host's ports{}",
                    rail.port->label(), byteText(rail.bytes), ratio, idle ? ": it is hardly used" : "");
    finding.figures = {{"ratio", Unit::Ratio, ratio, context.option(idle ? "idle" : "more")},
                       {"median_bytes", Unit::Bytes, median, {}}};
    addEvidence(context, *rail.port, rail.port->sampled(), "the sampled part of the run", finding);
    finding.settings = {"NCCL_IB_HCA", "NCCL_CROSS_NIC"};
    finding.advice =
        "Compare the adapters that NCCL chose for each rank (`NCCL_DEBUG=INFO`, NET/IB) with the ports of "
        "this host: a port missing from NCCL_IB_HCA, a GPU far from its adapter, or two GPUs that share one. "
        "A port for storage is no fault: remove it from NCCL_IB_HCA.";
    return finding;
}

Outcome run(const Context& context)
{
    std::vector<Finding> findings;
    bool known = false;
    for (const auto& [host, rails] : railsOf(context)) {
        std::vector<double> bytes;
        for (const Rail& rail : rails) {
            bytes.push_back(rail.bytes);
        }
        constexpr double kTraffic = 1 << 20;
        const double median = model::median(std::move(bytes));
        if (rails.size() < 3 || median < kTraffic) {
            continue; // with two it is not known which one is the outlier
        }
        known = true;
        for (const Rail& rail : rails) {
            if (auto finding = checkRail(context, rail, median)) {
                findings.push_back(std::move(*finding));
            }
        }
    }
    if (!known) {
        return NotApplicable{"needs the traffic of at least three RDMA ports of one rate on a host (tier "
                             "sampled, source rdma)"};
    }
    return findings;
}

} // namespace

RINGSIDE_RULE(
    nic_imbalance, .title = "A host's RDMA ports carry unequal loads", .needs = "sampled (rdma)",
    .options = kOptions, .run = run,
    .help =
        "Bytes that each active RDMA port of a host sent during the run, compared with the median of its "
        "ports of the same rate. All traffic of a port counts, including that of other jobs. No source gives "
        "a limit, and a job may use some of its rails on purpose, so it is no problem by itself.");

} // namespace ringside::rules::rule_nic_imbalance
