// SPDX-License-Identifier: Apache-2.0
// Finds RDMA ports that were not active, or went down during the run. NCCL leaves out ports that are down
// when it starts. It fails, or waits for minutes, if a port goes down while it is in use.
#include "words/rdma_port_down.h"

#include "rules/shared/port_outage.h"
#include "rules/shared/port_peers.h"
#include "words/span.h"

namespace ringside::rules::rule_rdma_port_down {
namespace {

namespace text = words::rdma_port_down;

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
    const words::Template* firstIs = &text::first_down;
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
    states.firstIs = &text::by_events;
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
const words::Template& physicalText(const metrics::Port& port)
{
    switch (port.last("physical_state").value_or(0)) {
    case 2:
        return text::polling;
    case 3:
        return port.fact("link_layer") == "Ethernet" ? text::no_carrier : text::disabled;
    case 5:
        return text::link_up;
    default:
        return text::not_trained;
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

words::Text siblingsText(const Siblings& siblings)
{
    return siblings.expected
               ? say(siblings.carry ? text::siblings_carry : text::siblings, {{"count", siblings.active}})
               : words::Text();
}

/// Returns the severity of a port that is down now: NCCL would have used a rail like its siblings.
std::optional<Severity> severityBySiblings(const Siblings& siblings)
{
    return !siblings.expected ? std::nullopt
                              : std::optional(siblings.carry ? Severity::Problem : Severity::Warning);
}

words::Text stateText(const States& states)
{
    return states.last != kActive ? text::still_down
           : states.downNs > 0    ? say(text::for_about, {{"down", states.downNs}})
                                  : words::Text();
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
    finding.title = say(text::drops, {{"port", port.label()},
                                      {"drops", states.drops},
                                      {"state", stateText(states)},
                                      {"moment", momentText(context, port, states.first.start)}});
    finding.figures = {{"drops", Unit::Count, static_cast<double>(states.drops), context.option("flaps")},
                       {"down_ns", Unit::Ns, static_cast<double>(states.downNs), {}}};
    addEvidence(context, port, states.first, *states.firstIs, finding);
    finding.advice = text::remedy_drops;
    return finding;
}

Finding describeFatalError(const Context& context, const metrics::Port& port,
                           const std::vector<std::int64_t>& moments)
{
    Finding finding;
    finding.severity = severityIfUsed(port, Severity::Problem);
    finding.broken = finding.severity == Severity::Problem;
    finding.title =
        say(text::fatal, {{"port", port.label()}, {"moment", momentText(context, port, moments.front())}});
    finding.figures = {{"fatal_errors", Unit::Count, static_cast<double>(moments.size()), {}}};
    addEvidence(context, port, {moments.front(), moments.front()}, text::reported, finding);
    finding.advice = text::remedy_fatal;
    return finding;
}

Finding describeNeverUp(const Context& context, const metrics::Port& port, const States& states)
{
    Finding finding;
    const bool waits = states.last == kInit || states.last == kArmed;
    const Siblings siblings = activeSiblings(context, port);
    finding.severity = severityBySiblings(siblings).value_or(waits ? Severity::Warning : Severity::Info);
    finding.title = (waits ? say(text::no_manager,
                                 {{"port", port.label()}, {"state", states.last == kInit ? "INIT" : "ARMED"}})
                           : say(text::down, {{"port", port.label()}, {"state", physicalText(port)}})) +
                    siblingsText(siblings);
    finding.figures = {{"state", Unit::Count, static_cast<double>(states.last), {}},
                       {"active_siblings", Unit::Count, static_cast<double>(siblings.active), {}}};
    addEvidence(context, port, port.sampled(), words::span::sampled, finding);
    finding.advice = waits               ? text::remedy_manager
                     : siblings.expected ? text::remedy_rail
                                         : text::remedy_unused;
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

RINGSIDE_RULE(rdma_port_down, .title = text::heading, .needs = {{"sampled"}, " (rdma)"}, .options = kOptions,
              .run = run, .help = text::help, .checksLinks = true);

} // namespace ringside::rules::rule_rdma_port_down
