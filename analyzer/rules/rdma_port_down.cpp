// SPDX-License-Identifier: Apache-2.0
// Finds RDMA ports that were not active, or went down during the run. NCCL leaves out ports that are down
// when it starts. It fails, or waits for minutes, if a port goes down while it is in use.
#include "rules/shared/port_outage.h"
#include "rules/shared/port_peers.h"

namespace ringside::rules::rule_rdma_port_down {
namespace {

constexpr Option kOptions[] = {
    {"flaps", 1,
     "a problem if a port goes down at least this many times in a run (field: 2 in 24 hours on any link; "
     "within a run each outage costs a retransmission timeout or the job)"},
};
constexpr std::int64_t kActive = 4; // the kernel's port states
constexpr std::int64_t kInit = 2;
constexpr std::int64_t kArmed = 3;

struct States {
    bool everActive = false;
    std::int64_t last = 0;
    std::int64_t drops =
        0; ///< the largest of the drops seen in samples, reported by events, and counted by the port
    std::int64_t downNs = 0;
    model::Interval first; ///< around the first drop
    const char* firstIs = "the interval between samples in which it first went down";
};

/// Returns the states that samples show. Outages between two samples are not seen.
States seenStates(const metrics::Port& port)
{
    States states;
    const auto found = port.values.find("state");
    if (found == port.values.end()) {
        return states;
    }
    const metrics::SampleValue* before = nullptr;
    for (const metrics::SampleValue& each : found->second) {
        const bool dropped = before != nullptr && before->value == kActive && each.value != kActive;
        if (dropped && states.drops++ == 0) {
            states.first = {before->timeNs, each.timeNs};
        }
        if (before != nullptr && before->value != kActive) {
            states.downNs += each.timeNs - before->timeNs;
        }
        states.everActive = states.everActive || each.value == kActive;
        states.last = each.value;
        before = &each;
    }
    return states;
}

/// Adds events, which are exact and include outages that ended before the next sample.
void addEvents(const metrics::Port& port, States& states)
{
    const std::vector<model::Interval> outages = outagesByEvents(port);
    if (outages.empty() || static_cast<std::int64_t>(outages.size()) < states.drops) {
        return; // the sampling process may have changed, and events before that are lost
    }
    states.drops = static_cast<std::int64_t>(outages.size());
    states.everActive = true;
    states.downNs = 0;
    states.first = outages.front();
    states.firstIs = "from going down to coming back, by events";
    for (const model::Interval& outage : outages) {
        states.downNs = model::addCapped(states.downNs, outage.length());
    }
}

States statesOf(const metrics::Port& port)
{
    States states = seenStates(port);
    addEvents(port, states);
    for (const metrics::Gain& each : port.gains("link_downed")) {
        if (each.gain > 0 && states.drops == 0) {
            states.first = each.between;
        }
    }
    states.drops = std::max(states.drops, port.gain("link_downed").value_or(0));
    if (!port.last("state") && states.drops > 0) {
        states.everActive = true;
        states.last = kActive; // only its own count is known, not whether it came back
    }
    return states;
}

/// Drivers of RoCE say "Disabled" of every interface without a carrier (Linux, hw/mlx5/main.c).
std::string_view physicalText(const metrics::Port& port)
{
    switch (port.last("physical_state").value_or(0)) {
    case 2:
        return "Polling: no cable, or no device at its other end";
    case 3:
        return port.fact("link_layer") == "Ethernet" ? "no carrier, or switched off"
                                                     : "Disabled: switched off";
    case 5:
        return "LinkUp";
    default:
        return "not trained";
    }
}

/// What the siblings of a port that is down tell of it.
struct Siblings {
    std::size_t active = 0;
    bool carry = false;    ///< at least one of them carries data
    bool expected = false; ///< enough of them are active that this port should be, too
};

/// Without the card's function it is not known whether a lone sibling is the first port of the same card,
/// whose second one is often left without a cable: then two active ones are asked for. As many ports that are
/// down as active ones are no faults but unused.
Siblings activeSiblings(const Context& context, const metrics::Port& port)
{
    const std::size_t least = port.fact("pci").empty() ? 2 : 1;
    Siblings siblings;
    std::size_t down = 1;
    for (const metrics::Port* const each : siblingsOf(context, port)) {
        const bool active = isActive(*each);
        siblings.active += active ? 1 : 0;
        down += active || !each->last("state") ? 0 : 1;
        siblings.carry = siblings.carry || (active && each->carried() == std::optional(true));
    }
    siblings.expected = siblings.active >= least && siblings.active > down;
    siblings.expected = siblings.expected || (least == 1 && siblings.active == 1 && down == 1);
    return siblings;
}

std::string siblingsText(const Siblings& siblings)
{
    return !siblings.expected
               ? std::string()
               : fmt::format("; {} {} of its kind on this host {} active{}", siblings.active,
                             siblings.active == 1 ? "port" : "ports", siblings.active == 1 ? "is" : "are",
                             siblings.carry ? " and carry data" : "");
}

/// Returns the severity of a port that is down now: NCCL would have used a rail like its siblings.
std::optional<Severity> severityBySiblings(const Siblings& siblings)
{
    return !siblings.expected ? std::nullopt
                              : std::optional(siblings.carry ? Severity::Problem : Severity::Warning);
}

Finding describeDrops(const Context& context, const metrics::Port& port, const States& states)
{
    Finding finding;
    finding.severity = severityIfUsed(port, Severity::Problem);
    finding.broken = finding.severity == Severity::Problem && states.last != kActive;
    if (states.last != kActive) {
        finding.severity = std::max(
            finding.severity, severityBySiblings(activeSiblings(context, port)).value_or(Severity::Info));
    }
    finding.title =
        fmt::format("Port {} went down {} {} in this run{}; first {}", port.label(), states.drops,
                    states.drops == 1 ? "time" : "times",
                    states.last != kActive ? " and is down at its end"
                    : states.downNs > 0    ? fmt::format(", for about {}", sampledTime(states.downNs))
                                           : std::string(),
                    momentText(context, port, states.first.start));
    finding.figures = {{"drops", Unit::Count, static_cast<double>(states.drops), context.option("flaps")},
                       {"down_ns", Unit::Ns, static_cast<double>(states.downNs), {}}};
    addEvidence(context, port, states.first, states.firstIs, finding);
    finding.advice =
        "Check the cable, the transceiver and the switch's port (`mlxlink`, `ethtool -m`), and the host's "
        "kernel log at that time. Until it is repaired, keep the port out of NCCL_IB_HCA.";
    return finding;
}

Finding describeFatalError(const Context& context, const metrics::Port& port,
                           const std::vector<std::int64_t>& moments)
{
    Finding finding;
    finding.severity = severityIfUsed(port, Severity::Problem);
    finding.broken = finding.severity == Severity::Problem;
    finding.title = fmt::format("The device of port {} reported a fatal error, {}: its connections are lost",
                                port.label(), momentText(context, port, moments.front()));
    finding.figures = {{"fatal_errors", Unit::Count, static_cast<double>(moments.size()), {}}};
    addEvidence(context, port, {moments.front(), moments.front()}, "when it was reported", finding);
    finding.advice =
        "Check the kernel log at that time for messages of the driver, and the device's firmware and "
        "temperature. The job cannot continue over this device: restart the job without it.";
    return finding;
}

Finding describeNeverUp(const Context& context, const metrics::Port& port, const States& states)
{
    Finding finding;
    const bool waits = states.last == kInit || states.last == kArmed;
    const Siblings siblings = activeSiblings(context, port);
    finding.severity = severityBySiblings(siblings).value_or(waits ? Severity::Warning : Severity::Info);
    finding.title = (waits ? fmt::format("Port {} has a link but no subnet manager set it up (state {})",
                                         port.label(), states.last == kInit ? "INIT" : "ARMED")
                           : fmt::format("Port {} is down ({})", port.label(), physicalText(port))) +
                    siblingsText(siblings);
    finding.figures = {{"state", Unit::Count, static_cast<double>(states.last), {}},
                       {"active_siblings", Unit::Count, static_cast<double>(siblings.active), {}}};
    addEvidence(context, port, port.sampled(), "the sampled part of the run", finding);
    finding.advice = waits ? "NCCL leaves this port out. Check the subnet manager (`sminfo`, `ibstat`), and "
                             "whether it reaches this switch."
                     : siblings.expected
                         ? "NCCL leaves this port out, so the other rails carry its share. Check its cable, "
                           "its transceiver and the switch's port (`ibstat`, `mlxlink`, `ethtool -m`)."
                         : "If the job should use it, check its cable and `ibstat`; else nothing is wrong.";
    return finding;
}

bool isMeasured(const metrics::Port& port)
{
    return port.last("state").has_value() || port.gain("link_downed").has_value();
}

std::optional<Finding> checkPort(const Context& context, const metrics::Port& port)
{
    const States states = statesOf(port);
    const auto fatalErrors = port.momentsOf(metrics::PortEvent::DeviceFatal);
    if (!fatalErrors.empty()) {
        return describeFatalError(context, port, fatalErrors);
    }
    if (states.everActive && static_cast<double>(states.drops) >= context.option("flaps")) {
        Finding finding = describeDrops(context, port, states);
        if (states.last == kActive) {
            lowerSeverityIfUnused(port, finding);
        }
        return finding;
    }
    return states.everActive || !port.last("state") ? std::nullopt
                                                    : std::optional(describeNeverUp(context, port, states));
}

Outcome run(const Context& context)
{
    return checkPorts<IfUnused::Keep>(context, isMeasured, checkPort);
}

} // namespace

RINGSIDE_RULE(rdma_port_down, .title = "An RDMA port is or was down", .needs = "sampled (rdma)",
              .options = kOptions, .run = run,
              .help = "State of each RDMA port at every sample, its own count of lost links, and, if "
                      "libibverbs is present, the events of ports and devices, which also show outages "
                      "between two samples. A port that was never up is a problem if most ports of the same "
                      "adapter in the same place of the card are active and carry data, and a warning if "
                      "those are idle: NCCL would have used it. Else it is information, or a warning if it "
                      "waits for its subnet manager (gcm's check_iblink).",
              .checksLinks = true);

} // namespace ringside::rules::rule_rdma_port_down
