// SPDX-License-Identifier: Apache-2.0
#include "rules/shared/port_outage.h"

#include "words/port_outage.h"

#include <algorithm>

namespace ringside::rules {
namespace {

/// Finds outages from samples of the port's state and of its link_downed counter. An outage spans from the
/// last sample in which the port was active to the next one in which it is active again.
std::vector<model::Interval> outagesByReadings(const metrics::Port& port)
{
    constexpr std::int64_t kActive = 4; // IB_PORT_ACTIVE
    std::vector<model::Interval> spans;
    const metrics::SampleValue* before = nullptr;
    const auto states = port.values.find("state");
    if (states != port.values.end()) {
        for (const metrics::SampleValue& each : states->second) {
            if (before != nullptr && before->value == kActive && each.value != kActive) {
                spans.push_back({before->timeNs, each.timeNs});
            } else if (!spans.empty() && before->value != kActive) {
                spans.back().end = each.timeNs;
            }
            before = &each;
        }
    }
    for (const metrics::Gain& each : port.gains("link_downed")) {
        if (each.gain > 0) {
            spans.push_back(each.between);
        }
    }
    return spans;
}

} // namespace

std::vector<model::Interval> outagesByEvents(const metrics::Port& port)
{
    const auto ups = port.momentsOf(metrics::PortEvent::Up);
    std::vector<model::Interval> spans;
    for (const std::int64_t down : port.momentsOf(metrics::PortEvent::Down)) {
        const auto up = std::lower_bound(ups.begin(), ups.end(), down);
        spans.push_back({down, up != ups.end() ? *up : std::max(down, port.sampled().end)});
    }
    return spans;
}

void addOutages(const Context& context, const metrics::Port& port, const std::vector<model::Interval>& spans,
                double patienceNs, Finding& finding)
{
    std::vector<model::Interval> moved = spans;
    for (model::Interval& span : moved) {
        span.start = model::addCapped(span.start, -static_cast<std::int64_t>(patienceNs));
    }
    moved = merged(std::move(moved));
    std::vector<std::string> names;
    for (const metrics::Port& other : context.figures.ports) {
        std::vector<model::Interval> outages = outagesByEvents(other);
        outages = outages.empty() ? outagesByReadings(other) : outages;
        const auto then = std::find_if(outages.begin(), outages.end(), [&](const model::Interval& outage) {
            return overlapsAny(
                moved, {outage.start, model::addCapped(outage.end, 1)}); // an outage may have no length
        });
        if (then != outages.end() && other.label() != port.label()) {
            names.push_back(other.label());
            addEvidence(context, other, *then, say(words::port_outage::was_down, {{"port", other.label()}}),
                        finding);
        }
    }
    if (!names.empty()) {
        finding.title +=
            say(words::port_outage::at_the_same_time, {{"ports", portsText(names)}, {"count", names.size()}});
        finding.figures.push_back({"ports_down", Unit::Count, static_cast<double>(names.size()), {}});
    }
}

} // namespace ringside::rules
