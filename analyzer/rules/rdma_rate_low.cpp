// SPDX-License-Identifier: Apache-2.0
// Finds RDMA ports that run slower than possible: fewer lanes, a lower rate than the same adapter elsewhere
// in the run, or a PCIe link that carries less than the port.
#include "words/rdma_rate_low.h"

#include "rules/shared/port_peers.h"
#include "trace/vocabulary/link_generation.h"
#include "words/span.h"

#include <map>

namespace ringside::rules::rule_rdma_rate_low {
namespace {

namespace text = words::rdma_rate_low;

constexpr Option kOptions[] = {
    {"lanes", 4,
     "fewest lanes of an InfiniBand port, unless no port of its kind has more and it is split on purpose "
     "(HDR100, NDR200: two lanes); Ethernet ports with one or two lanes are normal"},
    {"min_gbps", 10, "rate below which a port is too slow for training at all (field guides: 10 Gb/s)"},
    {"part", 1.0, "least share of the rate of the fastest port of the same kind in this run"},
};
constexpr double kMegabits = 1000.0;

struct Fastest {
    std::int64_t mbps = 0;
    std::int64_t lanes = 0;
    std::int64_t pcieMbps = 0;
};

/// Returns the most that any active port of each kind has.
std::map<std::string, Fastest> fastestByKind(const Context& context)
{
    std::map<std::string, Fastest> kinds;
    for (const metrics::Port& port : context.figures.ports) {
        if (!isActive(port)) {
            continue;
        }
        Fastest& most = kinds[kindOf(port)];
        most.mbps = std::max(most.mbps, port.last("rate_mbps").value_or(0));
        most.lanes = std::max(most.lanes, port.last("lanes").value_or(0));
        most.pcieMbps = std::max(most.pcieMbps, port.last("pcie_mbps").value_or(0));
    }
    return kinds;
}

/// Returns the rate in Mb/s. A kernel that does not know a speed says SDR: if all ports of a kind do, their
/// rate is not known; if others do not, this one is as slow as it says.
std::optional<std::int64_t> rateOf(const metrics::Port& port, const Fastest& most)
{
    const auto rate = port.last("rate_mbps");
    const bool told = rate && (port.fact("generation") != trace::kSpeedNotKnown || *rate < most.mbps);
    return isActive(port) && told ? rate : std::nullopt;
}

double gbps(std::int64_t mbps)
{
    return static_cast<double>(mbps) / kMegabits;
}

bool isNarrow(const Context& context, const metrics::Port& port, const Fastest& most)
{
    constexpr std::int64_t kSplit = 2;
    const auto lanes = port.last("lanes");
    if (port.fact("link_layer") != "InfiniBand" || !lanes ||
        static_cast<double>(*lanes) >= context.option("lanes")) {
        return false;
    }
    return *lanes != kSplit || most.lanes != kSplit || !trace::isErrorCorrected(port.fact("generation"));
}

/// A PCIe link that tells no rate, as in many virtual machines, is not judged.
words::Text pcieReason(const metrics::Port& port, std::int64_t rate, const Fastest& most)
{
    const std::int64_t pcie = port.last("pcie_mbps").value_or(0);
    if (pcie <= 0) {
        return {};
    }
    if (pcie < rate) {
        return say(text::pcie_less, {{"rate", gbps(rate)}, {"pcie", gbps(pcie)}});
    }
    return pcie < most.pcieMbps
               ? say(text::pcie_peers, {{"pcie", gbps(pcie)}, {"peers", gbps(most.pcieMbps)}})
               : words::Text();
}

struct Reason {
    words::Text what;
    bool ofItself = false; ///< nothing else than the rate's own size speaks against it
};

Reason reasonOf(const Context& context, const metrics::Port& port, std::int64_t rate, const Fastest& most)
{
    if (const std::string_view better = port.fact("could_be"); !better.empty()) {
        return {say(text::could_be, {{"rate", gbps(rate)}, {"better", better}})};
    }
    if (isNarrow(context, port, most)) {
        return {say(text::lanes, {{"lanes", *port.last("lanes")}})};
    }
    if (static_cast<double>(rate) < context.option("part") * static_cast<double>(most.mbps)) {
        return {say(text::peers, {{"rate", gbps(rate)}, {"peers", gbps(most.mbps)}})};
    }
    if (const auto before = port.first("rate_mbps"); before && rate < *before) {
        return {say(text::fell, {{"before", gbps(*before)}, {"rate", gbps(rate)}})};
    }
    if (words::Text pcie = pcieReason(port, rate, most); !pcie.empty()) {
        return {std::move(pcie)};
    }
    if (gbps(rate) < context.option("min_gbps")) {
        return {say(text::slow, {{"rate", gbps(rate)}}), true};
    }
    return {};
}

std::optional<Finding> checkPort(const Context& context, const metrics::Port& port,
                                 const std::map<std::string, Fastest>& kinds)
{
    const auto kind = kinds.find(kindOf(port));
    const Fastest most = kind != kinds.end() ? kind->second : Fastest{};
    const auto rate = rateOf(port, most);
    const Reason reason = rate ? reasonOf(context, port, *rate, most) : Reason{};
    if (reason.what.empty()) {
        return std::nullopt;
    }
    Finding finding;
    finding.severity = reason.ofItself ? severityIfUsed(port, Severity::Problem) : Severity::Problem;
    finding.title = say(text::title, {{"port", port.label()}, {"reason", reason.what}});
    finding.figures = {{"rate_gbps", Unit::GigabitsPerSecond, gbps(*rate), gbps(most.mbps)}};
    addEvidence(context, port, port.sampled(), words::span::sampled, finding);
    finding.advice = text::remedy;
    return finding;
}

Outcome run(const Context& context)
{
    const std::map<std::string, Fastest> kinds = fastestByKind(context);
    return checkPorts<IfUnused::Keep>(
        context, [](const metrics::Port& port) { return isActive(port) && port.last("rate_mbps"); },
        [&kinds](const Context& run, const metrics::Port& port) { return checkPort(run, port, kinds); });
}

} // namespace

RINGSIDE_RULE(rdma_rate_low, .title = text::heading, .needs = {{"sampled"}, " (rdma)"}, .options = kOptions,
              .run = run, .help = text::help, .checksLinks = true);

} // namespace ringside::rules::rule_rdma_rate_low
