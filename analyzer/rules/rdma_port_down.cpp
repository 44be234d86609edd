// SPDX-License-Identifier: Apache-2.0
// An RDMA port was not active, or went down and came back. NCCL leaves out ports that are down when it starts
// and fails, or waits for minutes, when one goes down under it.
#include "rules/ports.h"

namespace ringside::rules {
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
    std::int64_t drops = 0; ///< seen, or counted by the port where that is more
    std::int64_t downNs = 0;
    model::Interval first; ///< around the first drop
};

States statesOf(const metrics::Port& port)
{
    States states;
    const auto found = port.values.find("state");
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
        fmt::format("Port {} went down {} {} in this run{}", port.label(), states.drops,
                    states.drops == 1 ? "time" : "times",
                    states.last != kActive ? " and is down at its end"
                    : states.downNs > 0    ? fmt::format(", for about {}", milliseconds(states.downNs))
                                           : std::string());
    finding.figures = {{"drops", Unit::Count, static_cast<double>(states.drops), context.option("flaps")},
                       {"down_ns", Unit::Ns, static_cast<double>(states.downNs), {}}};
    addEvidence(context, port, states.first, "the readings between which it went down first", finding);
    finding.advice =
        "Look at the cable, the transceiver and the switch's port (`mlxlink`, `ethtool -m`), and at the "
        "host's kernel log at that time. Until it is mended keep the port out of NCCL_IB_HCA.";
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

Outcome run(const Context& context)
{
    std::vector<Finding> findings;
    bool known = false;
    for (const metrics::Port& port : context.figures.ports) {
        if (!port.last("state")) {
            continue;
        }
        known = true;
        const States states = statesOf(port);
        if (states.everActive && static_cast<double>(states.drops) >= context.option("flaps")) {
            findings.push_back(dropped(context, port, states));
        } else if (!states.everActive) {
            findings.push_back(neverUp(context, port, states));
        } else {
            continue;
        }
        findings.back().limit = Limit::Link;
        findings.back().links = {port.label()};
    }
    if (!known) {
        return kNeedsPorts;
    }
    return findings;
}

} // namespace
} // namespace ringside::rules

RINGSIDE_RULE(
    rdma_port_down, .title = "An RDMA port is or was down", .needs = "sampled (rdma)",
    .options = ringside::rules::kOptions, .run = ringside::rules::run,
    .help = "State of each RDMA port at every reading, and its own count of losing the link. A port that "
            "never was up is only information, for nobody can have used it; one that waits for its "
            "subnet manager is a warning.",
    .judgesLinks = true);
