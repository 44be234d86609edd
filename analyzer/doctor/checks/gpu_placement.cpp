// SPDX-License-Identifier: Apache-2.0
// GPUs and RDMA adapters: whether each GPU has an adapter near it, and whether adapters can access GPU
// memory. Distances are those of the rule nic_gpu_affinity.
#include "doctor/check.h"
#include "metrics/pci_distance.h"

#include <fmt/format.h>

#include <algorithm>

namespace ringside::doctor::check_gpu_placement {
namespace {

using metrics::PciDistance;

/// Returns RDMA devices with an active port.
std::vector<std::string> activeDevices(const Facts& facts)
{
    std::vector<std::string> devices;
    for (const std::string& port : facts.namesAfter("rdma.")) {
        const std::string device = port.substr(0, port.find('/'));
        if (facts.text("rdma." + port + ".state").ends_with("ACTIVE") &&
            std::ranges::find(devices, device) == devices.end()) {
            devices.push_back(device);
        }
    }
    return devices;
}

metrics::PciPlace placeOf(const Facts& facts, const std::string& fact)
{
    return {facts.text(fact + ".path"), facts.number(fact + ".numa_node")};
}

/// Returns null if no distance is known.
std::optional<PciDistance> nearest(const Facts& facts, const std::string& gpu,
                                   const std::vector<std::string>& devices)
{
    std::optional<PciDistance> best;
    for (const std::string& device : devices) {
        const std::string card = fmt::format("nic.{}", facts.text("rdma." + device + ".pci"));
        const auto distance = metrics::pciDistance(placeOf(facts, "gpu." + gpu), placeOf(facts, card));
        best = distance ? std::min(best.value_or(*distance), *distance) : best;
    }
    return best;
}

std::vector<Advice> run(const Facts& facts, const Need&)
{
    std::vector<Advice> all;
    const std::vector<std::string> devices = activeDevices(facts);
    for (const std::string& gpu : facts.namesAfter("gpu.")) {
        const auto distance = nearest(facts, gpu, devices);
        if (distance == PciDistance::System) {
            all.push_back({{},
                           rules::Severity::Warning,
                           fmt::format("The nearest active RDMA adapter of the GPU at {} is {}", gpu,
                                       metrics::pciDistanceText(*distance)),
                           "Its data crosses the link between sockets, and NCCL then does not use GPUDirect. "
                           "Use other GPUs, or move the adapter to a slot of their node.",
                           "nvidia-smi topo -m"});
        }
    }
    if (!devices.empty() && facts.text("machine.gpu_direct") == "none") {
        all.push_back({{},
                       rules::Severity::Warning,
                       "RDMA adapters cannot access GPU memory: nvidia_peermem is not loaded, and the "
                       "driver is not the open kernel module",
                       "NCCL then copies all data through host memory.",
                       "sudo modprobe nvidia-peermem"});
    }
    return all;
}

} // namespace

RINGSIDE_CHECK(gpu_placement, .title = "GPUs and RDMA adapters", .run = run);

} // namespace ringside::doctor::check_gpu_placement
