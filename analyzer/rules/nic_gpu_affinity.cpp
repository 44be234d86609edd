// SPDX-License-Identifier: Apache-2.0
// Finds GPUs whose data leaves through an RDMA adapter that is far away on PCIe. Data from another NUMA node
// crosses the link between sockets at a fraction of the adapter's rate, and NCCL then does not use GPUDirect
// RDMA.
#include "metrics/pci_distance.h"
#include "rules/shared/ports.h"
#include "rules/shared/settings.h"

namespace ringside::rules::rule_nic_gpu_affinity {
namespace {

using metrics::PciDistance;

struct Adapter {
    const metrics::Port* port = nullptr;
    PciDistance distance = PciDistance::System;
};

/// The nearest adapter of a GPU's host, and the nearest one that can have carried its data.
struct Nearest {
    std::optional<Adapter> any;
    std::optional<Adapter> used;
};

metrics::PciPlace placeOf(const Context& context, const model::Rank& rank)
{
    const trace::ProcessTrace& process = context.run.processOf(rank);
    const std::string gpu = metrics::gpuName(context.run, rank);
    return {
        settingOf(process, {"device", "*_pci_path"}, gpu).value_or(""),
        values::parseNumber<std::int64_t>(settingOf(process, {"device", "*_numa_node"}, gpu).value_or(""))};
}

Nearest nearestOf(const Context& context, const model::Rank& rank)
{
    constexpr std::int64_t kActive = 4;
    const metrics::PciPlace gpu = placeOf(context, rank);
    Nearest nearest;
    for (const metrics::Port& port : context.figures.ports) {
        const auto node = values::parseNumber<std::int64_t>(port.fact("numa_node"));
        const auto distance =
            metrics::pciDistance(gpu, {port.fact("pci_path"), node && *node >= 0 ? node : std::nullopt});
        if (!distance || port.host != context.run.processOf(rank).process.host) {
            continue;
        }
        const auto replaceIfNearer = [&](std::optional<Adapter>& best) {
            best = !best || *distance < best->distance ? Adapter{&port, *distance} : best;
        };
        replaceIfNearer(nearest.any);
        if (port.last("state") == std::optional(kActive) && port.carried() != std::optional(false)) {
            replaceIfNearer(nearest.used);
        }
    }
    return nearest;
}

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
        const Nearest nearest = nearestOf(context, rank);
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
