// SPDX-License-Identifier: Apache-2.0
// Finds GPUs whose data leaves through an RDMA adapter that is far away on PCIe. Data from another NUMA node
// crosses the link between sockets at a fraction of the adapter's rate, and NCCL then does not use GPUDirect
// RDMA.
#include "rules/shared/nearest_port.h"
#include "rules/shared/ports.h"

namespace ringside::rules::rule_nic_gpu_affinity {
namespace {

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
    finding.title =
        fmt::format("The nearest RDMA port that the GPU of rank {} can have used, {}, is {}", rank.rank,
                    nearest.used->port->name, metrics::pciDistanceText(nearest.used->distance));
    if (nearer) {
        finding.links.push_back(nearest.any->port->label());
        finding.title += fmt::format("; {}, {}, carried nothing", nearest.any->port->name,
                                     metrics::pciDistanceText(nearest.any->distance));
    }
    finding.settings = {"NCCL_IB_HCA", "CUDA_VISIBLE_DEVICES"};
    finding.advice =
        nearer
            ? "Find out why the near port is unused: whether it is active, listed in NCCL_IB_HCA, and passed "
              "into the container (`NCCL_DEBUG=INFO`, NET/IB; `nvidia-smi topo -m`)."
            : "Compare with `nvidia-smi topo -m`: use GPUs of the adapter's NUMA node, or move the adapter "
              "to a slot of the GPU's node. In virtual machines the topology may be hidden: NCCL_TOPO_FILE.";
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
            findings.back().evidence = {evidence(rank,
                                                 {process.startNs, process.endNs.value_or(process.startNs)},
                                                 "the whole run of this rank")};
        }
    }
    if (!known) {
        return NotApplicable{"needs the PCIe positions of GPUs and of active RDMA ports (tier sampled, "
                             "sources nvml and rdma), which this trace does not have"};
    }
    return findings;
}

} // namespace

RINGSIDE_RULE(nic_gpu_affinity, .title = "GPUs are far from the RDMA ports they use",
              .needs = "sampled (rdma), host", .options = {}, .run = run,
              .help = "Bridges and NUMA nodes between each rank's GPU and the RDMA ports of its host that "
                      "were active and carried data. It is not known which port a rank used, so the nearest "
                      "one is assumed. The cost is not estimated: see collective_bandwidth_low.");

} // namespace ringside::rules::rule_nic_gpu_affinity
