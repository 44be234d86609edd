// SPDX-License-Identifier: Apache-2.0
// The interface that NCCL and Gloo would use, and whether a faster one exists.
#include "doctor/check.h"

#include <fmt/format.h>

#include <algorithm>

namespace ringside::doctor::check_interfaces {
namespace {

using rules::Severity;

struct Interface {
    std::string name;
    std::int64_t mbps = 0;
    bool defaultRoute = false;
};

/// Returns network cards that are up.
std::vector<Interface> cards(const Facts& facts)
{
    std::vector<Interface> all;
    for (const std::string& name : facts.namesAfter("interface.")) {
        const std::string fact = "interface." + name + ".";
        if (facts.text(fact + "physical") == "yes" && facts.text(fact + "operstate") == "up") {
            all.push_back({name, facts.number(fact + "speed_mbps").value_or(0),
                           facts.text(fact + "default_route") == "yes"});
        }
    }
    return all;
}

/// Returns bridges of containers and virtual machines that are up: NCCL skips only lo and docker.
std::vector<std::string> bridges(const Facts& facts)
{
    std::vector<std::string> names = facts.namesAfter("interface.");
    std::erase_if(names, [&facts](const std::string& name) {
        const bool bridge = name.starts_with("virbr") || name.starts_with("br-") || name.starts_with("cni") ||
                            name.starts_with("podman");
        return !bridge || facts.text("interface." + name + ".operstate") != "up";
    });
    return names;
}

std::vector<Advice> run(const Facts& facts, const Need&)
{
    std::vector<Advice> all;
    const std::vector<Interface> up = cards(facts);
    const bool chosen = facts.find("environment.NCCL_SOCKET_IFNAME") != nullptr ||
                        facts.find("nccl.conf.NCCL_SOCKET_IFNAME") != nullptr;
    const auto fastest = std::ranges::max_element(up, {}, &Interface::mbps);
    const auto routed = std::ranges::find(up, true, &Interface::defaultRoute);
    if (!chosen && routed != up.end() && routed->mbps > 0 && fastest->mbps > routed->mbps) {
        all.push_back({{},
                       Severity::Warning,
                       fmt::format("{} is faster ({} Gb/s) than {} of the default route ({} Gb/s), and "
                                   "NCCL_SOCKET_IFNAME is not set",
                                   fastest->name, static_cast<double>(fastest->mbps) / 1000, routed->name,
                                   static_cast<double>(routed->mbps) / 1000),
                       "NCCL's sockets and Gloo may use the slow one. Also set GLOO_SOCKET_IFNAME.",
                       fmt::format("export NCCL_SOCKET_IFNAME={0} GLOO_SOCKET_IFNAME={0}", fastest->name)});
    }
    if (const std::vector<std::string> names = bridges(facts); !chosen && !names.empty()) {
        all.push_back(
            {{},
             Severity::Warning,
             fmt::format("{} is up, and NCCL_SOCKET_IFNAME is not set", fmt::join(names, ", ")),
             "NCCL may choose it, but a bridge of containers or virtual machines reaches no other host.",
             up.empty() ? "" : fmt::format("export NCCL_SOCKET_IFNAME={}", fastest->name)});
    }
    for (const Interface& each : up) {
        if (facts.text("interface." + each.name + ".duplex") == "half") {
            all.push_back({{},
                           Severity::Problem,
                           fmt::format("{} runs at half duplex", each.name),
                           "Check cable, port and autonegotiation.",
                           fmt::format("sudo ethtool {}", each.name)});
        }
    }
    return all;
}

} // namespace

RINGSIDE_CHECK(interfaces, .title = "Network interfaces", .run = run);

} // namespace ringside::doctor::check_interfaces
