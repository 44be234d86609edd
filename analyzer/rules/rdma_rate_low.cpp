// SPDX-License-Identifier: Apache-2.0
// Finds RDMA ports that run slower than possible: fewer lanes, a lower rate than the same adapter elsewhere
// in the run, or a PCIe link that carries less than the port.
#include "rules/shared/ports.h"

#include <map>

namespace ringside::rules::rule_rdma_rate_low {
namespace {

constexpr Option kOptions[] = {
    {"lanes", 4, "fewest lanes of an InfiniBand port (Ethernet ports with one or two lanes are normal)"},
    {"min_gbps", 10, "rate below which a port is too slow for training at all (field guides: 10 Gb/s)"},
    {"part", 1.0, "least share of the rate of the fastest port of the same kind in this run"},
};
constexpr double kMegabits = 1000.0;

/// Returns the kind of adapter. Adapters of one kind should run at the same rate.
std::string kindOf(const metrics::Port& port)
{
    return fmt::format("{} {} {}", port.fact("hca_type"), port.fact("board"), port.fact("link_layer"));
}

bool isActive(const metrics::Port& port)
{
    constexpr std::int64_t kActive = 4;
    return port.last("state") == std::optional(kActive);
}

/// Returns the rate in Mb/s. A kernel that does not know the speed reports SDR, so SDR counts as not known.
std::optional<std::int64_t> rateOf(const metrics::Port& port)
{
    return isActive(port) && port.fact("generation") != "SDR" ? port.last("rate_mbps") : std::nullopt;
}

std::map<std::string, std::int64_t> fastest(const Context& context)
{
    std::map<std::string, std::int64_t> rates;
    for (const metrics::Port& port : context.figures.ports) {
        if (const auto rate = rateOf(port)) {
            std::int64_t& most = rates[kindOf(port)];
            most = std::max(most, *rate);
        }
    }
    return rates;
}

std::string reasonOf(const Context& context, const metrics::Port& port, std::int64_t rate, std::int64_t most)
{
    const auto lanes = port.last("lanes");
    const auto pcie = port.last("pcie_mbps");
    const auto gbps = [](std::int64_t mbps) { return static_cast<double>(mbps) / kMegabits; };
    if (port.fact("link_layer") == "InfiniBand" && lanes &&
        static_cast<double>(*lanes) < context.option("lanes")) {
        return fmt::format("runs on {} of 4 lanes", *lanes);
    }
    if (static_cast<double>(rate) < context.option("part") * static_cast<double>(most)) {
        return fmt::format("runs at {:g} Gb/s, other ports of its kind at {:g} Gb/s", gbps(rate), gbps(most));
    }
    if (const auto before = port.first("rate_mbps"); before && rate < *before) {
        return fmt::format("fell from {:g} to {:g} Gb/s in this run", gbps(*before), gbps(rate));
    }
    if (pcie && *pcie < rate) {
        return fmt::format("could carry {:g} Gb/s, but its PCIe link only {:.1f} Gb/s", gbps(rate),
                           gbps(*pcie));
    }
    if (gbps(rate) < context.option("min_gbps")) {
        return fmt::format("runs at {:g} Gb/s", gbps(rate));
    }
    return {};
}

std::optional<Finding> checkPort(const Context& context, const metrics::Port& port,
                                 const std::map<std::string, std::int64_t>& rates)
{
    const auto rate = rateOf(port);
    const std::int64_t most = rate ? rates.at(kindOf(port)) : 0;
    const std::string reason = rate ? reasonOf(context, port, *rate, most) : std::string();
    if (reason.empty()) {
        return std::nullopt;
    }
    Finding finding;
    finding.severity = severityIfUsed(port, Severity::Problem);
    finding.title = fmt::format("Port {} {}", port.label(), reason);
    finding.figures = {{"rate_gbps", Unit::GigabitsPerSecond, static_cast<double>(*rate) / kMegabits,
                        static_cast<double>(most) / kMegabits}};
    addEvidence(context, port, port.sampled(), "the sampled part of the run", finding);
    finding.advice = "Reseat the cable and check the settings of both ends (`mlxlink`, `ethtool`, the "
                     "switch's port). For the PCIe link, check the slot, riser and firmware settings (`lspci "
                     "-vv`, LnkSta). Every ring collective runs at the rate of its slowest port.";
    return finding;
}

Outcome run(const Context& context)
{
    const std::map<std::string, std::int64_t> rates = fastest(context);
    return checkPorts(
        context, [](const metrics::Port& port) { return rateOf(port).has_value(); },
        [&rates](const Context& run, const metrics::Port& port) { return checkPort(run, port, rates); });
}

} // namespace

RINGSIDE_RULE(rdma_rate_low, .title = "An RDMA port is slower than it could be", .needs = "sampled (rdma)",
              .options = kOptions, .run = run,
              .help = "Rate, lanes and PCIe link of each active port, compared with ports of the same kind "
                      "of adapter in this run. If all are equally slow it is not seen, because sysfs does "
                      "not report the largest rate of a port.",
              .checksLinks = true);

} // namespace ringside::rules::rule_rdma_rate_low
