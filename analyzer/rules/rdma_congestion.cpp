// SPDX-License-Identifier: Apache-2.0
// Finds congestion of the RDMA network: switches mark packets, receivers ask senders to slow down, or a port
// has data but may not send it. Congestion costs time; by itself it loses no packets.
#include "words/rdma_congestion.h"

#include "conditions/readings.h"
#include "rules/shared/conditions.h"
#include "rules/shared/link_cause.h"
#include "rules/shared/port_peers.h"
#include "words/span.h"

namespace ringside::rules::rule_rdma_congestion {
namespace {

namespace text = words::rdma_congestion;

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

/// Returns the median share of marked packets of the siblings that received about as much; null with less
/// than two, or if one of them saw no marks either.
std::optional<double> marksOfSiblings(const Context& context, const metrics::Port& port)
{
    constexpr double kAboutAsMuch = 2.0;
    const double received = static_cast<double>(port.gain("rx_packets").value_or(0));
    std::vector<double> shares;
    for (const metrics::Port* const peer : siblingsOf(context, port)) {
        const auto share = conditions::markedShare(*peer);
        if (share && static_cast<double>(*peer->gain("rx_packets")) <= kAboutAsMuch * received) {
            shares.push_back(*share);
        }
    }
    const bool all = shares.size() >= 2 && std::ranges::min(shares) > context.option("marked");
    return all ? std::optional(model::median(std::move(shares))) : std::nullopt;
}

/// A port that alone is never marked shares its siblings' load, but not their congestion control.
void checkUnmarked(const Context& context, const metrics::Port& port, Finding& finding)
{
    const auto siblings =
        conditions::markedShare(port) == 0.0 ? marksOfSiblings(context, port) : std::nullopt;
    if (siblings) {
        add(finding, say(text::unmarked, {{"peers", *siblings}}));
        finding.severity = Severity::Warning;
        finding.figures.push_back({"marked_of_siblings", Unit::Share, *siblings, context.option("marked")});
    }
}

/// Without collectives to compare with, only much congestion is worth a warning.
bool isMuchAlone(const Context& context, const metrics::Port& port)
{
    return !context.figures.arrivalsMeasured() &&
           (conditions::markedShare(port).value_or(0) > context.option("marked_alone") ||
            conditions::slowedASecond(port).value_or(0) > context.option("slowed_alone"));
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

std::optional<Finding> checkPort(const Context& context, const metrics::Port& port)
{
    const auto rows = conditions::judge(port, conditions::conditionsOf("rdma_congestion"), limitsOf(context));
    Finding finding;
    finding.title = listOf(rows, text::next);
    for (const conditions::Judged& row : rows) {
        finding.figures.push_back(
            {std::string(row.condition->more.figure), row.condition->more.unit, row.value, row.limit});
    }
    checkWaiting(context, port, finding);
    checkUnmarked(context, port, finding);
    if (finding.title.empty()) {
        return std::nullopt;
    }
    finding.title = say(text::title, {{"port", port.label()}}) + finding.title;
    const auto moved = movedIn(
        port, std::vector<trace::SeriesMetric>{"ecn_marked", "cnp_handled", "limit_drops", "tx_wait_ticks"});
    addEvidence(context, port, moved.empty() ? port.sampled() : moved.front(), words::span::first_counted,
                finding);
    addCause(port, moved, finding);
    if (addSlowCollectives(context, port, moved, finding) || isMuchAlone(context, port)) {
        finding.severity = Severity::Warning;
    }
    finding.severity = severityIfUsed(port, finding.severity);
    finding.advice = text::remedy;
    return finding;
}

bool isMeasured(const metrics::Port& port)
{
    return heldShare(port) || isAnyRead(port, conditions::conditionsOf("rdma_congestion"));
}

Outcome run(const Context& context)
{
    return checkPorts(context, isMeasured, checkPort);
}

} // namespace

RINGSIDE_RULE(rdma_congestion, .title = text::heading, .needs = {{"sampled"}, " (rdma)"},
              .options = conditions::optionsOf("rdma_congestion"), .run = run, .help = text::help,
              .checksLinks = true);

} // namespace ringside::rules::rule_rdma_congestion
