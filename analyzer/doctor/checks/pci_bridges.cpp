// SPDX-License-Identifier: Apache-2.0
// PCIe bridges above GPUs that redirect traffic between devices below them to the root (ACS). GPUDirect and
// copies between GPUs then run at a fraction of the rate, or hang (NCCL user guide, troubleshooting).
#include "doctor/check.h"

#include <fmt/format.h>

namespace ringside::doctor::check_pci_bridges {
namespace {

std::vector<Advice> run(const Facts& facts, const Need&)
{
    std::vector<std::string> redirecting;
    for (const std::string& bridge : facts.namesAfter("bridge.")) {
        const std::string_view acs = facts.text("bridge." + bridge + ".acs");
        bool above = false;
        for (const std::string& gpu : facts.namesAfter("gpu.")) {
            above = above ||
                    facts.text("gpu." + gpu + ".path").find("/" + bridge + "/") != std::string_view::npos;
        }
        if (above && !acs.empty() && acs != "none") {
            redirecting.push_back(bridge);
        }
    }
    // In a virtual machine, ACS is needed and set by the host.
    if (redirecting.empty() || facts.text("machine.virtual") == "yes") {
        return {};
    }
    const std::string_view direct = facts.text("machine.gpu_direct");
    const bool used = !facts.namesAfter("rdma.").empty() && !direct.empty() && direct != "none";
    return {{{},
             used ? rules::Severity::Problem : rules::Severity::Warning,
             fmt::format("{} PCIe bridges above GPUs have access control on, the first {} ({})",
                         redirecting.size(), redirecting.front(),
                         facts.text("bridge." + redirecting.front() + ".acs")),
             "Traffic between GPUs and adapters below them goes up to the root and back: GPUDirect "
             "and copies between GPUs are slow, or hang. Switch ACS (and the IOMMU) off in the firmware; the "
             "command disables ACS until the next boot.",
             fmt::format("sudo setpci -s {} ECAP_ACS+0x6.w=0000", redirecting.front())}};
}

} // namespace

RINGSIDE_CHECK(pci_bridges, .title = "PCIe bridges", .run = run);

} // namespace ringside::doctor::check_pci_bridges
