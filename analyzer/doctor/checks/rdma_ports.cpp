// SPDX-License-Identifier: Apache-2.0
// RDMA ports that are down or slow although other ports of this host work.
#include "doctor/check.h"
#include "host/sysfs_text.h"

#include <fmt/format.h>

#include <algorithm>

namespace ringside::doctor::check_rdma_ports {
namespace {

using rules::Severity;

/// The packet size of RoCE follows from the MTU of its interface.
void packetSize(const Facts& facts, const std::string& port, std::vector<Advice>& all)
{
    constexpr std::uint64_t kLargest = 4096;
    const std::string netdev(facts.text("rdma." + port + ".netdev"));
    const auto mtu = facts.number("interface." + netdev + ".mtu");
    if (!mtu || *mtu < 0 || facts.text("rdma." + port + ".link_layer") != "Ethernet") {
        return;
    }
    const std::uint64_t payload = host::roceMtu(static_cast<std::uint64_t>(*mtu)).value_or(0);
    if (payload < kLargest) {
        all.push_back({{},
                       Severity::Warning,
                       fmt::format("RDMA port {} sends packets of {} bytes: the MTU of {} is {}", port,
                                   payload, netdev, *mtu),
                       "RoCE could send 4096. Raise the MTU on all hosts and on every switch of the path.",
                       fmt::format("sudo ip link set {} mtu 4200", netdev)});
    }
}

std::vector<Advice> run(const Facts& facts, const Need&)
{
    std::vector<std::string> names = facts.namesAfter("rdma.");
    std::erase_if(names, [&facts](const std::string& port) {
        return facts.find("rdma." + port + ".state") == nullptr;
    });
    const auto stateOf = [&facts](const std::string& port) { return facts.text("rdma." + port + ".state"); };
    const bool anyActive = std::ranges::any_of(
        names, [&](const std::string& port) { return stateOf(port).ends_with("ACTIVE"); });
    std::vector<Advice> all;
    for (const std::string& port : names) {
        if (stateOf(port).ends_with("ACTIVE")) {
            packetSize(facts, port, all);
            continue;
        }
        const std::string_view physical = facts.text("rdma." + port + ".phys_state");
        const bool linked = physical.ends_with("LinkUp");
        // Cards may have unused ports: they matter only beside ports that work.
        all.push_back(
            {{},
             linked ? Severity::Warning : Severity::Info,
             fmt::format("RDMA port {} is {} (physical: {})", port, stateOf(port),
                         physical.empty() ? "not known" : physical),
             linked      ? "The cable carries a signal, but no subnet manager has configured the port."
             : anyActive ? "The cable is missing, or the port is switched off. Compare with the other hosts."
                         : "None of this host's RDMA ports is active: NCCL will use sockets.",
             linked ? "sudo systemctl status opensm" : ""});
    }
    return all;
}

} // namespace

RINGSIDE_CHECK(rdma_ports, .title = "RDMA ports", .run = run);

} // namespace ringside::doctor::check_rdma_ports
