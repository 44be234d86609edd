// SPDX-License-Identifier: Apache-2.0
// Finds congestion of the RDMA network: switches mark packets, receivers ask senders to slow down, or a port
// has data but may not send it. Congestion costs time; by itself it loses no packets.
#include "rules/shared/link_cause.h"

namespace ringside::rules::rule_rdma_congestion {
namespace {

constexpr Option kOptions[] = {
    {"marked", 1e-3,
     "warn above this share of received packets that switches marked; a problem above 10 times this"},
    {"slowed", 100, "warn above this rate of requests to slow down that a sender obeyed, per second"},
    {"slowed_much", 10'000, "a problem above this rate, on a link used less than half"},
    {"held", 0.1,
     "warn if a port waits with data to send for more than this share of its time (in its own ticks) and "
     "more than three times the median of the ports"},
    {"held_much", 0.3, "a problem above this share"},
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

/// Returns the share of time that the port waited with data to send. The length of a tick depends on the
/// device, so the value is meaningful only relative to the words sent and to other ports.
std::optional<double> heldShare(const metrics::Port& port)
{
    constexpr double kBytesAWord = 4;
    const auto ticks = port.gain("tx_wait_ticks");
    const auto bytes = port.gain("tx_bytes");
    if (!ticks || !bytes || *ticks + *bytes <= 0) {
        return std::nullopt;
    }
    const auto waited = static_cast<double>(*ticks);
    return waited / (waited + static_cast<double>(*bytes) / kBytesAWord);
}

double medianHeld(const Context& context)
{
    std::vector<double> shares;
    for (const metrics::Port& port : context.figures.ports) {
        if (const auto share = heldShare(port); share && port.carried() == std::optional(true)) {
            shares.push_back(*share);
        }
    }
    return shares.size() < 2 ? 0 : model::median(std::move(shares)); // a single port has no peers
}

void add(Finding& finding, std::string words, Severity severity)
{
    finding.title += (finding.title.empty() ? "" : ", ") + std::move(words);
    finding.severity = std::max(finding.severity, severity);
}

void checkMarks(const Context& context, const metrics::Port& port, Finding& finding)
{
    constexpr double kMuch = 10.0;
    const double few = context.option("marked");
    const double marked = markedShare(port).value_or(0);
    if (marked > few) {
        add(finding, fmt::format("{} of the packets it received were marked by switches", percent(marked)),
            marked > few * kMuch ? Severity::Problem : Severity::Warning);
        finding.figures.push_back({"marked", Unit::Share, marked, few});
    }
}

void checkSlowing(const Context& context, const metrics::Port& port, Finding& finding)
{
    constexpr double kHalf = 0.5;
    const double slowed = slowedASecond(port).value_or(0);
    if (slowed > context.option("slowed")) {
        const bool idle = port.utilization("tx_bytes", port.sampled()).value_or(1.0) < kHalf;
        add(finding, fmt::format("it was asked {:.0f} times per second to send slower", slowed),
            idle && slowed > context.option("slowed_much") ? Severity::Problem : Severity::Warning);
        finding.figures.push_back({"slowed_a_second", Unit::PerSecond, slowed, context.option("slowed")});
    }
}

void checkWaiting(const Context& context, const metrics::Port& port, double median, Finding& finding)
{
    constexpr double kOutlier = 3.0;
    const double held = heldShare(port).value_or(0);
    if (held > context.option("held") && held > kOutlier * median) {
        add(finding, fmt::format("it waited {} of its time with data to send", percent(held)),
            held > context.option("held_much") ? Severity::Problem : Severity::Warning);
        finding.figures.push_back({"held", Unit::Share, held, context.option("held")});
    }
}

std::vector<model::Interval> movedIn(const metrics::Port& port)
{
    std::vector<model::Interval> spans;
    for (const trace::SeriesMetric& metric :
         std::array<trace::SeriesMetric, 3>{"ecn_marked", "cnp_handled", "tx_wait_ticks"}) {
        for (const metrics::Gain& each : port.gains(metric)) {
            if (each.gain > 0) {
                spans.push_back(each.between);
            }
        }
    }
    return spans;
}

std::optional<Finding> checkPort(const Context& context, const metrics::Port& port, double median)
{
    Finding finding;
    checkMarks(context, port, finding);
    checkSlowing(context, port, finding);
    checkWaiting(context, port, median, finding);
    if (finding.title.empty()) {
        return std::nullopt;
    }
    finding.title = fmt::format("Port {} met congestion: {}", port.label(), finding.title);
    finding.severity = severityIfUsed(port, finding.severity);
    const auto moved = movedIn(port);
    addEvidence(context, port, moved.front(), "the interval between samples in which it was first counted",
                finding);
    addCause(port, moved, finding);
    addSlowCollectives(context, port, moved, finding);
    finding.advice = "Marks come from switches on the path to the receiver: check who else uses these "
                     "switches and whether flows of several ranks share one uplink (ECMP, rails that cross), "
                     "and place the ranks of a rail under one switch. A port that waits is stopped by flow "
                     "control: look for a slow receiver behind it (its PCIe link, its NUMA node).";
    return finding;
}

Outcome run(const Context& context)
{
    const double median = medianHeld(context);
    return checkPorts(
        context,
        [](const metrics::Port& port) { return markedShare(port) || slowedASecond(port) || heldShare(port); },
        [median](const Context& run, const metrics::Port& port) { return checkPort(run, port, median); });
}

} // namespace

RINGSIDE_RULE(rdma_congestion, .title = "The RDMA network is congested", .needs = "sampled (rdma)",
              .options = kOptions, .run = run,
              .help = "Marks of switches (ECN), requests to slow down (CNP) and the ticks in which a port "
                      "had data but no credit to send, over the run. The length of a tick depends on the "
                      "device, so waiting is compared with the other ports. Pause frames are not sampled.",
              .checksLinks = true);

} // namespace ringside::rules::rule_rdma_congestion
