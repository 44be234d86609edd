// SPDX-License-Identifier: Apache-2.0
// The RDMA ports of a host did not carry the same. Each GPU has a rail of its own; one that carries more, or
// one that is left out, sets the pace of all.
#include "rules/shared/ports.h"

#include <map>

namespace ringside::rules::rule_nic_imbalance {
namespace {

constexpr Option kOptions[] = {
    {"more", 1.2, "bytes sent by a port over the median of the host's, from which on it is a warning"},
    {"much_more", 1.5, "the same from which on it is a problem"},
    {"idle", 0.1, "part of the median below which a port counts as left out, a problem"},
};

struct Rail {
    const metrics::Port* port = nullptr;
    double bytes = 0;
};

/// Active ports with measured traffic, by host and rate: a slow one beside fast ones is there for storage.
std::map<std::pair<std::string, std::int64_t>, std::vector<Rail>> railsOf(const Context& context)
{
    constexpr std::int64_t kActive = 4;
    std::map<std::pair<std::string, std::int64_t>, std::vector<Rail>> rails;
    for (const metrics::Port& port : context.figures.ports) {
        const auto bytes = port.gain("tx_bytes");
        if (bytes && port.last("state") == std::optional(kActive)) {
            rails[{port.host, port.last("rate_mbps").value_or(0)}].push_back(
                {&port, static_cast<double>(*bytes)});
        }
    }
    return rails;
}

std::optional<Finding> judge(const Context& context, const Rail& rail, double median)
{
    const double ratio = rail.bytes / median;
    const bool idle = ratio < context.option("idle");
    if (!idle && ratio <= context.option("more")) {
        return std::nullopt;
    }
    Finding finding;
    finding.severity = idle || ratio > context.option("much_more") ? Severity::Problem : Severity::Warning;
    finding.limit = Limit::Link;
    finding.links = {rail.port->label()};
    finding.title =
        fmt::format("Port {} sent {} in this run, {:.2f} times the median of its host's ports{}",
                    rail.port->label(), byteText(rail.bytes), ratio, idle ? ": it is left out" : "");
    finding.figures = {{"ratio", Unit::Ratio, ratio, context.option(idle ? "idle" : "more")},
                       {"median_bytes", Unit::Bytes, median, {}}};
    addEvidence(context, *rail.port, rail.port->sampled(), "as long as it was sampled", finding);
    finding.settings = {"NCCL_IB_HCA", "NCCL_CROSS_NIC"};
    finding.advice =
        "Compare the adapters that NCCL chose for each rank (`NCCL_DEBUG=INFO`, NET/IB) with the ports of "
        "this host: a port missing from NCCL_IB_HCA, a GPU far from its adapter, or two GPUs that share "
        "one. A port that is only there for storage does not count: take it out of NCCL_IB_HCA.";
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
            continue; // of two nobody knows which is the odd one
        }
        known = true;
        for (const Rail& rail : rails) {
            if (auto finding = judge(context, rail, median)) {
                findings.push_back(std::move(*finding));
            }
        }
    }
    if (!known) {
        return NotApplicable{
            "needs the traffic of at least three RDMA ports of one rate on a host (tier sampled, source "
            "rdma)"};
    }
    return findings;
}

} // namespace

RINGSIDE_RULE(
    nic_imbalance, .title = "A host's RDMA ports carry unequal loads", .needs = "sampled (rdma)",
    .options = kOptions, .run = run,
    .help =
        "Bytes that each active RDMA port of a host sent during the run, against the median of those with "
        "the same rate. All traffic of a port counts, that of other jobs too.");

} // namespace ringside::rules::rule_nic_imbalance
