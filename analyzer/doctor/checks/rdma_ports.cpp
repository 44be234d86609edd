// SPDX-License-Identifier: Apache-2.0
// RDMA ports that are down or slow although other ports of this host work.
#include "doctor/check.h"
#include "host/sysfs_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

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

bool isActive(const Facts& facts, const std::string& port)
{
    return facts.text("rdma." + port + ".state").ends_with("ACTIVE");
}

/// Returns the same text for ports of the same adapter in the same place of their cards: those should be
/// alike. The second port of a card is often left without a cable.
std::string kindOf(const Facts& facts, const std::string& port)
{
    const std::size_t slash = port.find('/');
    const std::string device = "rdma." + port.substr(0, slash);
    const std::string_view pci = facts.text(device + ".pci");
    const std::size_t dot = pci.rfind('.');
    return fmt::format("{} {} {} {} {}", facts.text(device + ".hca_type"), facts.text(device + ".board_id"),
                       facts.text("rdma." + port + ".link_layer"), port.substr(std::min(slash, port.size())),
                       dot != std::string_view::npos ? pci.substr(dot) : "");
}

struct Siblings {
    std::size_t active = 0;
    std::size_t all = 0; ///< the port itself, too
    std::uint64_t mbps = 0;
    std::uint64_t lanes = 0;
};

std::map<std::string, Siblings> siblingsByKind(const Facts& facts, const std::vector<std::string>& names)
{
    std::map<std::string, Siblings> kinds;
    for (const std::string& port : names) {
        Siblings& siblings = kinds[kindOf(facts, port)];
        ++siblings.all;
        if (const auto rate = host::rateIn(facts.text("rdma." + port + ".rate"));
            isActive(facts, port) && rate) {
            ++siblings.active;
            siblings.mbps = std::max(siblings.mbps, rate->mbps);
            siblings.lanes = std::max(siblings.lanes, rate->lanes.value_or(0));
        }
    }
    return kinds;
}

void rateOfPort(const Facts& facts, const std::string& port, const Siblings& siblings,
                std::vector<Advice>& all)
{
    const std::string_view text = facts.text("rdma." + port + ".rate");
    const auto rate = host::rateIn(text);
    const bool slow = rate && rate->mbps < siblings.mbps;
    const bool narrow = rate && rate->lanes.value_or(0) < siblings.lanes;
    if (slow || narrow) {
        all.push_back({{},
                       Severity::Problem,
                       fmt::format("RDMA port {} runs at {}, other ports of its kind at {} Gb/s", port, text,
                                   siblings.mbps / 1000),
                       "Every ring collective runs at the rate of its slowest port. Reseat or replace the "
                       "cable, and check the settings of both ends.",
                       fmt::format("sudo mlxlink -d {} -m -c", port.substr(0, port.find('/')))});
    }
}

Advice notActive(const Facts& facts, const std::string& port, const Siblings& siblings, bool anyActive)
{
    const std::string_view state = facts.text("rdma." + port + ".state");
    const std::string_view physical = facts.text("rdma." + port + ".phys_state");
    const bool linked = physical.ends_with("LinkUp");
    // Cards may have unused ports: most of a kind that work are no accident.
    const bool expected = siblings.active >= 2 && 2 * siblings.active > siblings.all;
    return {{},
            linked || expected ? Severity::Warning : Severity::Info,
            fmt::format("RDMA port {} is {} (physical: {}){}", port, state,
                        physical.empty() ? "not known" : physical,
                        expected ? fmt::format("; {} of {} ports of its kind are active", siblings.active,
                                               siblings.all)
                                 : ""),
            linked      ? "The cable carries a signal, but no subnet manager has configured the port."
            : anyActive ? "The cable is missing, or the port is switched off. Compare with the other hosts."
                        : "None of this host's RDMA ports is active: NCCL will use sockets.",
            linked ? "sudo systemctl status opensm" : ""};
}

std::vector<Advice> run(const Facts& facts, const Need&)
{
    std::vector<std::string> names = facts.namesAfter("rdma.");
    std::erase_if(names, [&facts](const std::string& port) {
        return facts.find("rdma." + port + ".state") == nullptr;
    });
    const bool anyActive =
        std::ranges::any_of(names, [&](const std::string& port) { return isActive(facts, port); });
    const std::map<std::string, Siblings> kinds = siblingsByKind(facts, names);
    std::vector<Advice> all;
    for (const std::string& port : names) {
        const Siblings& siblings = kinds.at(kindOf(facts, port));
        if (isActive(facts, port)) {
            packetSize(facts, port, all);
            rateOfPort(facts, port, siblings, all);
        } else {
            all.push_back(notActive(facts, port, siblings, anyActive));
        }
    }
    return all;
}

} // namespace

RINGSIDE_CHECK(rdma_ports, .title = "RDMA ports", .run = run);

} // namespace ringside::doctor::check_rdma_ports
