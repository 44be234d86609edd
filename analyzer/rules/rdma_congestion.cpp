// SPDX-License-Identifier: Apache-2.0
// Finds congestion of the RDMA network: switches mark packets, receivers ask senders to slow down, or a port
// has data but may not send it. Congestion costs time; by itself it loses no packets.
#include "words/rdma_congestion.h"

#include "rules/shared/link_cause.h"
#include "rules/shared/port_peers.h"
#include "words/span.h"

namespace ringside::rules::rule_rdma_congestion {
namespace {

namespace text = words::rdma_congestion;

constexpr Option kOptions[] = {
    {"marked", 1e-3,
     "report above this share of received packets that switches marked; marks are how DCQCN works, so they "
     "warn only if collectives were slow at that time"},
    {"slowed", 100, "the same for requests to slow down that a sender obeyed, per second"},
    {"held", 0.1,
     "warn if a port has data to send but may not for more than this share of its time and more than three "
     "times the median of its peers (a tick is taken as the time of a word of 4 bytes)"},
    {"held_traffic", 0.01, "and used at least this share of its rate"},
};

double secondsOf(const metrics::Port& port)
{
    constexpr double kNsASecond = 1e9;
    return std::max(1.0, static_cast<double>(port.sampled().length()) / kNsASecond);
}

/// Returns null if not measured, or if nothing was received.
std::optional<double> markedShare(const metrics::Port& port)
{
    const auto marked = port.gain("ecn_marked");
    const auto received = port.gain("rx_packets");
    return marked && received && *received > 0
               ? std::optional(static_cast<double>(*marked) / static_cast<double>(*received))
               : std::nullopt;
}

std::optional<double> slowedASecond(const metrics::Port& port)
{
    const auto handled = port.gain("cnp_handled");
    return handled ? std::optional(static_cast<double>(*handled) / secondsOf(port)) : std::nullopt;
}

/// Returns the share of time that the port waited with data to send. Devices do not tell how long a tick is:
/// it is taken as the time that a word of 4 bytes needs at the port's rate, the shortest that is known.
std::optional<double> heldShare(const metrics::Port& port)
{
    constexpr double kBitsAWord = 32;
    const auto ticks = port.gain("tx_wait_ticks");
    const auto rate = port.bitsPerNs();
    const auto ns = static_cast<double>(port.sampled().length());
    return ticks && rate && ns > 0
               ? std::optional(std::min(1.0, static_cast<double>(*ticks) * kBitsAWord / *rate / ns))
               : std::nullopt;
}

bool hasTraffic(const Context& context, const metrics::Port& port)
{
    return port.utilization("tx_bytes", port.sampled()).value_or(0) >= context.option("held_traffic");
}

/// Returns the median of the port's busy peers; null if it has less than two.
std::optional<double> medianHeld(const Context& context, const metrics::Port& port)
{
    std::vector<double> shares;
    for (const metrics::Port* const peer : siblingsOf(context, port)) {
        if (const auto share = heldShare(*peer); share && hasTraffic(context, *peer)) {
            shares.push_back(*share);
        }
    }
    return shares.size() < 2 ? std::nullopt : std::optional(model::median(std::move(shares)));
}

void add(Finding& finding, words::Text seen)
{
    if (!finding.title.empty()) {
        finding.title += text::next;
    }
    finding.title += std::move(seen);
}

void checkMarks(const Context& context, const metrics::Port& port, Finding& finding)
{
    const double few = context.option("marked");
    const double marked = markedShare(port).value_or(0);
    if (marked > few) {
        add(finding, say(text::marked, {{"marked", marked}}));
        finding.figures.push_back({"marked", Unit::Share, marked, few});
    }
}

void checkSlowing(const Context& context, const metrics::Port& port, Finding& finding)
{
    const double slowed = slowedASecond(port).value_or(0);
    if (slowed > context.option("slowed")) {
        add(finding, say(text::slowed, {{"slowed", slowed}}));
        finding.figures.push_back({"slowed_a_second", Unit::PerSecond, slowed, context.option("slowed")});
    }
}

void checkLimits(const metrics::Port& port, Finding& finding)
{
    const std::int64_t dropped = port.gain("limit_drops").value_or(0);
    if (dropped > 0) {
        add(finding, say(text::dropped, {{"dropped", dropped}}));
        finding.figures.push_back({"limit_drops", Unit::Count, static_cast<double>(dropped), 0});
    }
}

void checkWaiting(const Context& context, const metrics::Port& port, Finding& finding)
{
    constexpr double kOutlier = 3.0;
    const double held = heldShare(port).value_or(0);
    const auto median = medianHeld(context, port);
    if (median && hasTraffic(context, port) && held > context.option("held") && held > kOutlier * *median) {
        add(finding, say(text::held, {{"held", held}, {"peers", *median}}));
        finding.severity = Severity::Warning;
        finding.figures.push_back({"held", Unit::Share, held, context.option("held")});
    }
}

std::vector<model::Interval> movedIn(const metrics::Port& port)
{
    std::vector<model::Interval> spans;
    for (const trace::SeriesMetric& metric :
         std::array<trace::SeriesMetric, 4>{"ecn_marked", "cnp_handled", "limit_drops", "tx_wait_ticks"}) {
        for (const metrics::Gain& each : port.gains(metric)) {
            if (each.gain > 0) {
                spans.push_back(each.between);
            }
        }
    }
    return spans;
}

std::optional<Finding> checkPort(const Context& context, const metrics::Port& port)
{
    Finding finding;
    finding.severity = Severity::Info;
    checkMarks(context, port, finding);
    checkSlowing(context, port, finding);
    checkLimits(port, finding);
    checkWaiting(context, port, finding);
    if (finding.title.empty()) {
        return std::nullopt;
    }
    finding.title = say(text::title, {{"port", port.label()}}) + finding.title;
    const auto moved = movedIn(port);
    addEvidence(context, port, moved.front(), words::span::first_counted, finding);
    addCause(port, moved, finding);
    if (addSlowCollectives(context, port, moved, finding)) {
        finding.severity = Severity::Warning;
    }
    finding.severity = severityIfUsed(port, finding.severity);
    finding.advice = text::remedy;
    return finding;
}

bool isMeasured(const metrics::Port& port)
{
    return markedShare(port) || slowedASecond(port) || heldShare(port) || port.gain("limit_drops");
}

Outcome run(const Context& context)
{
    return checkPorts(context, isMeasured, checkPort);
}

} // namespace

RINGSIDE_RULE(rdma_congestion, .title = text::heading, .needs = "sampled (rdma)", .options = kOptions,
              .run = run, .help = text::help, .checksLinks = true);

} // namespace ringside::rules::rule_rdma_congestion
