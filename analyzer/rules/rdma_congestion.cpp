// SPDX-License-Identifier: Apache-2.0
// The network is full: switches mark packets, receivers ask senders to slow down, or a port has data and may
// not send it. Congestion loses no packets by itself, but time.
#include "rules/shared/link_cause.h"

namespace ringside::rules::rule_rdma_congestion {
namespace {

constexpr Option kOptions[] = {
    {"marked", 1e-3,
     "share of received packets that switches marked; above is a warning, 10 times as much a problem"},
    {"slowed", 100, "requests to slow down that a sender obeyed, a second; above is a warning"},
    {"slowed_much", 10'000, "the same from which on it is a problem, on a link used less than half"},
    {"held", 0.1,
     "share of its time that a port waited with data to send, in its own ticks; above, and above three "
     "times the median of the ports, is a warning"},
    {"held_much", 0.3, "the same from which on it is a problem"},
};

double secondsOf(const metrics::Port& port)
{
    constexpr double kNsASecond = 1e9;
    return std::max(1.0, static_cast<double>(port.sampled().length()) / kNsASecond);
}

/// Null: not measured, or nothing was received.
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

/// Ticks are as long as the device likes: only against words sent and against other ports does it mean much.
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
    return shares.size() < 2 ? 0 : model::median(std::move(shares)); // alone it has no peers
}

void add(Finding& finding, std::string words, Severity severity)
{
    finding.title += (finding.title.empty() ? "" : ", ") + std::move(words);
    finding.severity = std::max(finding.severity, severity);
}

void judgeMarks(const Context& context, const metrics::Port& port, Finding& finding)
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

void judgeSlowing(const Context& context, const metrics::Port& port, Finding& finding)
{
    constexpr double kHalf = 0.5;
    const double slowed = slowedASecond(port).value_or(0);
    if (slowed > context.option("slowed")) {
        const bool idle = port.utilization("tx_bytes", port.sampled()).value_or(1.0) < kHalf;
        add(finding, fmt::format("it was told {:.0f} times a second to send slower", slowed),
            idle && slowed > context.option("slowed_much") ? Severity::Problem : Severity::Warning);
        finding.figures.push_back({"slowed_a_second", Unit::PerSecond, slowed, context.option("slowed")});
    }
}

void judgeWaiting(const Context& context, const metrics::Port& port, double median, Finding& finding)
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
    for (const std::string_view metric : {"ecn_marked", "cnp_handled", "tx_wait_ticks"}) {
        for (const metrics::Gain& each : port.gains(metric)) {
            if (each.gain > 0) {
                spans.push_back(each.between);
            }
        }
    }
    return spans;
}

std::optional<Finding> judge(const Context& context, const metrics::Port& port, double median)
{
    Finding finding;
    judgeMarks(context, port, finding);
    judgeSlowing(context, port, finding);
    judgeWaiting(context, port, median, finding);
    if (finding.title.empty()) {
        return std::nullopt;
    }
    finding.title = fmt::format("Port {} met a full network: {}", port.label(), finding.title);
    finding.severity = asUsed(port, finding.severity);
    const auto moved = movedIn(port);
    addEvidence(context, port, moved.front(), "the readings between which it was counted first", finding);
    addCause(port, moved, finding);
    joinSlow(context, port, moved, finding);
    finding.advice =
        "Marks and requests come from switches towards the receiver: look who else uses them, whether "
        "flows of several ranks share one uplink (ECMP, rails that cross), and place the ranks of a "
        "host's rail under one switch. A port that waits is held up by flow control: look for a slow "
        "receiver behind it (its PCIe link, its NUMA node).";
    return finding;
}

Outcome run(const Context& context)
{
    const double median = medianHeld(context);
    return judgePorts(
        context,
        [](const metrics::Port& port) { return markedShare(port) || slowedASecond(port) || heldShare(port); },
        [median](const Context& run, const metrics::Port& port) { return judge(run, port, median); });
}

} // namespace

RINGSIDE_RULE(
    rdma_congestion, .title = "The RDMA network is full", .needs = "sampled (rdma)", .options = kOptions,
    .run = run,
    .help = "Marks of switches (ECN), requests to slow down (CNP) and the ticks in which a port had data and "
            "no leave to send, over the run. How long a tick is depends on the device, so waiting is judged "
            "against the other ports. Pause frames are not sampled.",
    .judgesLinks = true);

} // namespace ringside::rules::rule_rdma_congestion
