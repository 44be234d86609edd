// SPDX-License-Identifier: Apache-2.0
#include "rules/shared/port_peers.h"

#include "trace/vocabulary/link_generation.h"

#include <algorithm>
#include <vector>

namespace ringside::rules {
namespace {

bool holds(std::string_view text, std::string_view part)
{
    return text.find(part) != std::string_view::npos;
}

bool isBond(const metrics::Port& port)
{
    return holds(port.name, "bond") || port.fact("netdev").starts_with("bond") || !port.fact("bond").empty();
}

/// Returns ".1" of "0000:ba:00.1 mlx5_1:1", and the port's number; the latter alone if the place is not
/// known.
std::string placeOf(const metrics::Port& port)
{
    const std::string_view pci = port.fact("pci");
    const std::size_t dot = pci.rfind('.');
    const std::string_view name = std::string_view(port.name).substr(0, port.name.find(' '));
    const std::size_t colon = name.rfind(':');
    return std::string(dot != std::string_view::npos ? pci.substr(dot) : "") +
           std::string(colon != std::string_view::npos ? name.substr(colon) : "");
}

/// The ports of a run are ordered by host.
std::span<const metrics::Port> portsOn(std::span<const metrics::Port> ports, const std::string& host)
{
    return {std::ranges::lower_bound(ports, host, {}, &metrics::Port::host),
            std::ranges::upper_bound(ports, host, {}, &metrics::Port::host)};
}

std::int64_t fastestOf(std::span<const metrics::Port> ports, const std::string& host)
{
    std::int64_t fastest = 0;
    for (const metrics::Port& port : portsOn(ports, host)) {
        if (isActive(port)) {
            fastest = std::max(fastest, port.last("rate_mbps").value_or(0));
        }
    }
    return fastest;
}

} // namespace

bool isActive(const metrics::Port& port)
{
    constexpr std::int64_t kActive = 4; // IB_PORT_ACTIVE
    return port.last("state") == std::optional(kActive);
}

bool isEfa(const metrics::Port& port)
{
    return port.fact("driver") == "efa";
}

PortRole roleOf(const Context& context, const metrics::Port& port)
{
    return roleOf(context.figures.ports, port);
}

std::string_view roleName(std::span<const metrics::Port> ports, const metrics::Port& port)
{
    constexpr std::int64_t kDisabled = 3; // physical state of the InfiniBand architecture
    if (port.fact("node") == "switch") {
        return {};
    }
    if (!isActive(port) && port.last("physical_state") == std::optional(kDisabled)) {
        return "switched off";
    }
    switch (roleOf(ports, port)) {
    case PortRole::Rail:
        return "compute rail";
    case PortRole::Bond:
        return "bond";
    case PortRole::Storage:
        return "storage";
    case PortRole::Management:
        return "management";
    }
    return "compute rail";
}

PortRole roleOf(std::span<const metrics::Port> ports, const metrics::Port& port)
{
    constexpr std::int64_t kSlower = 4;
    if (isBond(port)) {
        return PortRole::Bond;
    }
    if (holds(port.name, "stor") || holds(port.fact("netdev"), "stor")) {
        return PortRole::Storage;
    }
    const auto rate = port.last("rate_mbps");
    // A kernel that does not know a speed says SDR.
    const bool known = rate && port.fact("generation") != trace::kSpeedNotKnown;
    return known && *rate * kSlower <= fastestOf(ports, port.host) ? PortRole::Management : PortRole::Rail;
}

std::string kindOf(const metrics::Port& port)
{
    if (port.fact("node") == "switch" || (port.fact("hca_type").empty() && !port.fact("far_end").empty())) {
        return port.label(); // a tool of the fabric tells neither what it is nor what else is of its kind
    }
    const auto word = [](std::string_view fact) { return std::string(fact) + ' '; };
    return word(port.fact("driver")) + word(port.fact("hca_type")) + word(port.fact("board")) +
           word(port.fact("link_layer")) + word(placeOf(port)) + (isBond(port) ? "bond" : "port");
}

std::vector<const metrics::Port*> siblingsOf(const Context& context, const metrics::Port& port)
{
    std::vector<const metrics::Port*> siblings;
    const std::string kind = kindOf(port);
    for (const metrics::Port& each : portsOn(context.figures.ports, port.host)) {
        if (&each != &port && kindOf(each) == kind) {
            siblings.push_back(&each);
        }
    }
    return siblings;
}

} // namespace ringside::rules
