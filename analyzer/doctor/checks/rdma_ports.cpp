// SPDX-License-Identifier: Apache-2.0
// RDMA ports that do not carry traffic although others of this host do.
#include "doctor/check.h"

#include <fmt/format.h>

#include <algorithm>

namespace ringside::doctor {
namespace {

using rules::Severity;

std::vector<Advice> run(const Facts& facts, const Need&)
{
    std::vector<std::string> ports = facts.namesAfter("rdma.");
    std::erase_if(ports, [&facts](const std::string& port) {
        return facts.find("rdma." + port + ".state") == nullptr;
    });
    const auto stateOf = [&facts](const std::string& port) { return facts.text("rdma." + port + ".state"); };
    const bool anyActive = std::ranges::any_of(
        ports, [&](const std::string& port) { return stateOf(port).ends_with("ACTIVE"); });
    std::vector<Advice> all;
    for (const std::string& port : ports) {
        if (stateOf(port).ends_with("ACTIVE")) {
            continue;
        }
        const std::string_view physical = facts.text("rdma." + port + ".phys_state");
        const bool linked = physical.ends_with("LinkUp");
        // Cards have ports that nothing is plugged into: only worth a look beside ports that work.
        all.push_back({{},
                       linked ? Severity::Warning : Severity::Info,
                       fmt::format("RDMA port {} is {} (physical: {})", port, stateOf(port),
                                   physical.empty() ? "not known" : physical),
                       linked      ? "The cable carries a signal, but no subnet manager has set the port up."
                       : anyActive ? "No cable, or a port that is switched off. Compare with the other hosts."
                                   : "None of this host's RDMA ports is active: NCCL will use sockets.",
                       linked ? "sudo systemctl status opensm" : ""});
    }
    return all;
}

} // namespace
} // namespace ringside::doctor

RINGSIDE_CHECK(rdma_ports, .title = "RDMA ports", .run = ringside::doctor::run);
