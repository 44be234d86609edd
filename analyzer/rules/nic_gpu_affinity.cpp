// SPDX-License-Identifier: Apache-2.0
// Finds GPUs whose data leaves through an RDMA adapter that is far away on PCIe. Data from another NUMA node
// crosses the link between sockets at a fraction of the adapter's rate, and NCCL then does not use GPUDirect
// RDMA.
#include "words/nic_gpu_affinity.h"

#include "rules/shared/nearest_port.h"
#include "rules/shared/ports.h"
#include "words/span.h"

namespace ringside::rules::rule_nic_gpu_affinity {
namespace {

namespace text = words::nic_gpu_affinity;

using metrics::PciDistance;

Finding describe(const model::Rank& rank, const Nearest& nearest)
{
    Finding finding;
    const bool nearer = nearest.any->distance < nearest.used->distance;
    finding.severity =
        nearest.used->distance == PciDistance::System || nearer ? Severity::Warning : Severity::Info;
    finding.limit = Limit::Link;
    finding.ranks = {rank.rank};
    finding.links = {nearest.used->port->label()};
    finding.title = say(text::title, {{"rank", rank.rank},
                                      {"port", nearest.used->port->name},
                                      {"distance", metrics::pciDistanceText(nearest.used->distance)}});
    if (nearer) {
        finding.links.push_back(nearest.any->port->label());
        finding.title += say(text::nearer, {{"port", nearest.any->port->name},
                                            {"distance", metrics::pciDistanceText(nearest.any->distance)}});
    }
    finding.settings = {"NCCL_IB_HCA", "CUDA_VISIBLE_DEVICES"};
    finding.advice = nearer ? text::remedy_near : text::remedy_far;
    return finding;
}

Outcome run(const Context& context)
{
    std::vector<Finding> findings;
    bool known = false;
    for (const model::Rank& rank : context.run.ranks) {
        const Nearest nearest = nearestOf(context.run, context.figures.ports, rank);
        if (!nearest.used) {
            continue;
        }
        known = true;
        if (nearest.used->distance >= PciDistance::Node || nearest.any->distance < nearest.used->distance) {
            findings.push_back(describe(rank, nearest));
            const trace::ProcessRow& process = context.run.processOf(rank).process;
            findings.back().evidence = {evidence(
                rank, {process.startNs, process.endNs.value_or(process.startNs)}, words::span::rank_run)};
        }
    }
    if (!known) {
        return NotApplicable{text::not_measured};
    }
    return findings;
}

} // namespace

RINGSIDE_RULE(nic_gpu_affinity, .title = text::heading, .needs = {{"host", "sampled"}, " (rdma)"},
              .options = {}, .run = run, .help = text::help);

} // namespace ringside::rules::rule_nic_gpu_affinity
