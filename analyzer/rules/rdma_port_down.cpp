// SPDX-License-Identifier: Apache-2.0
// An RDMA port was not active, or went down and came back. NCCL leaves out ports that are down when it starts
// and fails, or waits for minutes, when one goes down under it.
#include "rules/shared/port_outage.h"

namespace ringside::rules::rule_rdma_port_down {
namespace {

constexpr Option kOptions[] = {
    {"flaps", 1,
     "times that a port may go down in a run from which on it is a problem (field: 2 in 24 hours on "
     "any link; within a run each costs a retransmission timeout or the job)"},
};
constexpr std::int64_t kActive = 4; // the kernel's numbers
constexpr std::int64_t kInit = 2;
constexpr std::int64_t kArmed = 3;

struct States {
    bool everActive = false;
    std::int64_t last = 0;
    std::int64_t drops = 0; ///< seen, told by events, or counted by the port: where that is most
    std::int64_t downNs = 0;
    model::Interval first; ///< around the first drop
    const char* firstIs = "the readings between which it went down first";
};

/// As the readings show it, between which it may have been down unseen.
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

/// Events are exact, and tell of what was over before the next reading.
void addEvents(const metrics::Port& port, States& states)
{
    const std::vector<model::Interval> outages = outagesByEvents(port);
    if (outages.empty() || static_cast<std::int64_t>(outages.size()) < states.drops) {
        return; // who sampled it may have changed, and with it who got them
    }
    states.drops = static_cast<std::int64_t>(outages.size());
    states.everActive = true;
    states.downNs = 0;
    states.first = outages.front();
    states.firstIs = "from its going down to its coming back, by events";
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
    return states;
}

std::string_view physicalText(const metrics::Port& port)
{
    switch (port.last("physical_state").value_or(0)) {
    case 2:
        return "Polling: no cable, or nobody at its other end";
    case 3:
        return "Disabled: switched off";
    case 5:
        return "LinkUp";
    default:
        return "not trained";
    }
}

Finding dropped(const Context& context, const metrics::Port& port, const States& states)
{
    Finding finding;
    finding.severity = asUsed(port, Severity::Problem);
    finding.broken = finding.severity == Severity::Problem && states.last != kActive;
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
        "Look at the cable, the transceiver and the switch's port (`mlxlink`, `ethtool -m`), and at the "
        "host's kernel log at that time. Until it is mended keep the port out of NCCL_IB_HCA.";
    return finding;
}

Finding fatal(const Context& context, const metrics::Port& port, const std::vector<std::int64_t>& moments)
{
    Finding finding;
    finding.severity = asUsed(port, Severity::Problem);
    finding.broken = finding.severity == Severity::Problem;
    finding.title = fmt::format("The device of port {} reported a fatal error, {}: its connections are lost",
                                port.label(), momentText(context, port, moments.front()));
    finding.figures = {{"fatal_errors", Unit::Count, static_cast<double>(moments.size()), {}}};
    addEvidence(context, port, {moments.front(), moments.front()}, "when it was reported", finding);
    finding.advice =
        "Look into the kernel's log of that time for what the driver says of it, and at the device's "
        "firmware and temperature. The job cannot go on over it: start it again, without this device.";
    return finding;
}

Finding neverUp(const Context& context, const metrics::Port& port, const States& states)
{
    Finding finding;
    const bool waits = states.last == kInit || states.last == kArmed;
    finding.severity = waits ? Severity::Warning : Severity::Info;
    finding.title = waits ? fmt::format("Port {} has a link but no subnet manager set it up (state {})",
                                        port.label(), states.last == kInit ? "INIT" : "ARMED")
                          : fmt::format("Port {} is down ({})", port.label(), physicalText(port));
    finding.figures = {{"state", Unit::Count, static_cast<double>(states.last), {}}};
    addEvidence(context, port, port.sampled(), "as long as it was sampled", finding);
    finding.advice =
        waits ? "NCCL leaves this port out. Look at the subnet manager (`sminfo`, `ibstat`), and "
                "whether it reaches this switch."
              : "If the job should use it, look at its cable and at `ibstat`; else nothing is wrong.";
    return finding;
}

bool isMeasured(const metrics::Port& port)
{
    return port.last("state").has_value();
}

std::optional<Finding> judge(const Context& context, const metrics::Port& port)
{
    const States states = statesOf(port);
    const auto deaths = port.momentsOf(metrics::PortEvent::DeviceFatal);
    if (!deaths.empty()) {
        return fatal(context, port, deaths);
    }
    if (states.everActive && static_cast<double>(states.drops) >= context.option("flaps")) {
        return dropped(context, port, states);
    }
    return states.everActive || !isMeasured(port) ? std::nullopt
                                                  : std::optional(neverUp(context, port, states));
}

Outcome run(const Context& context)
{
    return judgePorts(context, isMeasured, judge);
}

} // namespace

RINGSIDE_RULE(
    rdma_port_down, .title = "An RDMA port is or was down", .needs = "sampled (rdma)", .options = kOptions,
    .run = run,
    .help =
        "State of each RDMA port at every reading, its own count of losing the link, and, where libibverbs "
        "is "
        "there, the events of ports and devices, which also tell what was over between two readings. A port "
        "that never was up is only information, for nobody can have used it; one that waits for its subnet "
        "manager is a warning.",
    .judgesLinks = true);

} // namespace ringside::rules::rule_rdma_port_down
