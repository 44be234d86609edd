// SPDX-License-Identifier: Apache-2.0
// Finds RoCE networks that lose packets because nothing slows down the senders in time: neither pause frames
// (PFC) nor congestion marks (ECN). If pause frames alone do it, they stop all senders behind a slow
// receiver.
#include "words/roce_not_lossless.h"

#include "rules/shared/port_peers.h"
#include "words/span.h"

#include <array>

namespace ringside::rules::rule_roce_not_lossless {
namespace {

namespace text = words::roce_not_lossless;

constexpr Option kOptions[] = {
    {"loss", 1e-6, "the path counts as lossy above this share of lost packets"},
    {"paused", 0.01, "report above this share of the time in which the port was paused"},
    {"paused_much", 0.1, "warn from this share; no source gives a limit"},
};

/// Returns what the ports of the run sent again, or waited for in vain. Packets that only arrive out of
/// sequence were not lost: adaptive routing sends them over several paths.
std::int64_t repairsOf(const Context& context)
{
    const std::array<trace::SeriesMetric, 3> kRepairs{"retransmissions", "adaptive_retransmissions",
                                                      "ack_timeouts"};
    std::int64_t sum = 0;
    for (const metrics::Port& port : context.figures.ports) {
        for (const trace::SeriesMetric& metric : kRepairs) {
            sum = model::addCapped(sum, port.gain(metric).value_or(0));
        }
    }
    return sum;
}

/// Returns the share of packets that were lost on the path to this port, or discarded by it. Those out of
/// sequence count as far as something was sent again.
std::optional<double> lossOf(const metrics::Port& port, std::int64_t repairs)
{
    const auto received = port.gain("rx_packets");
    const auto missing = port.gain("rx_out_of_sequence");
    const auto discarded = port.gain("rx_discards");
    if (!received || *received <= 0 || (!missing && !discarded)) {
        return std::nullopt;
    }
    const std::int64_t repaired = model::addCapped(repairs, port.gain("rx_duplicates").value_or(0));
    const auto lost = static_cast<double>(std::min(missing.value_or(0), repaired)) +
                      static_cast<double>(discarded.value_or(0));
    return lost / static_cast<double>(*received);
}

/// Returns which flow control was not seen, for example "no pause frame and no mark of congestion was seen";
/// empty if senders were slowed down.
words::Text whatIsMissing(const metrics::Port& port)
{
    const auto rx = port.gain("rx_pauses");
    const auto tx = port.gain("tx_pauses");
    const auto marked = port.gain("ecn_marked");
    const bool noPause = (rx || tx) && rx.value_or(0) <= 0 && tx.value_or(0) <= 0;
    const bool noMark = marked == std::optional<std::int64_t>(0);
    const bool off = port.fact("pfc_priorities") == "none";
    if (noPause && off) {
        return noMark ? text::off_and_no_mark : text::off;
    }
    return noPause && noMark ? text::neither
           : noPause         ? text::no_pause
           : noMark          ? text::no_mark
                             : words::Text();
}

Finding findingOf(const Context& context, const metrics::Port& port)
{
    Finding finding;
    addEvidence(context, port, port.sampled(), words::span::sampled, finding);
    finding.settings = {"NCCL_IB_TC"};
    return finding;
}

std::optional<Finding> checkLoss(const Context& context, const metrics::Port& port, std::int64_t repairs)
{
    const auto loss = lossOf(port, repairs);
    const words::Text missing = whatIsMissing(port);
    if (!loss || *loss <= context.option("loss") || missing.empty()) {
        return std::nullopt;
    }
    Finding finding = findingOf(context, port);
    finding.severity = severityIfUsed(port, Severity::Warning);
    finding.title = say(text::lost, {{"port", port.label()}, {"loss", *loss}, {"missing", missing}});
    finding.figures = {{"loss", Unit::Share, *loss, context.option("loss")}};
    finding.advice = text::remedy_loss;
    return finding;
}

/// The adapter's driver stops it when it has sent pause frames for too long (mlx5: pause storm error events);
/// warning events come before that and change nothing.
std::optional<Finding> checkStorms(const Context& context, const metrics::Port& port)
{
    const std::int64_t storms = port.gain("pause_storms").value_or(0);
    const std::int64_t warnings = port.gain("pause_storm_warnings").value_or(0);
    if (storms <= 0 && warnings <= 0) {
        return std::nullopt;
    }
    Finding finding = findingOf(context, port);
    finding.severity = storms > 0 ? severityIfUsed(port, Severity::Problem) : Severity::Info;
    finding.title = storms > 0 ? say(text::storms, {{"port", port.label()}, {"storms", storms}})
                               : say(text::warnings, {{"port", port.label()}, {"warnings", warnings}});
    finding.figures = {{"pause_storms", Unit::Count, static_cast<double>(storms), 0},
                       {"pause_storm_warnings", Unit::Count, static_cast<double>(warnings), {}}};
    finding.advice = text::remedy_storms;
    return finding;
}

std::optional<Finding> checkPauses(const Context& context, const metrics::Port& port)
{
    const auto us = port.gain("rx_pause_us");
    const double seconds = static_cast<double>(port.sampled().length()) / 1e9;
    const double share = us && seconds > 0 ? std::min(1.0, static_cast<double>(*us) / 1e6 / seconds) : 0.0;
    if (share <= context.option("paused")) {
        return std::nullopt;
    }
    Finding finding = findingOf(context, port);
    const bool much = share >= context.option("paused_much");
    finding.severity = severityIfUsed(port, much ? Severity::Warning : Severity::Info);
    finding.title = say(text::paused, {{"port", port.label()}, {"share", share}});
    finding.figures = {{"paused_share", Unit::Share, share, context.option("paused")}};
    finding.advice = text::remedy_paused;
    return finding;
}

/// RoCE in software and EFA know no flow control of the link.
bool isMeasured(const metrics::Port& port)
{
    return port.fact("link_layer") == "Ethernet" && !isSoftware(port) && !isEfa(port) &&
           (lossOf(port, 0) || port.gain("rx_pause_us") || port.gain("pause_storms"));
}

Outcome run(const Context& context)
{
    const std::int64_t repairs = repairsOf(context);
    const auto ifMeasured = [](const auto& check) {
        return [check](const Context& run, const metrics::Port& port) {
            return isMeasured(port) ? check(run, port) : std::nullopt;
        };
    };
    const auto loss = [repairs](const Context& run, const metrics::Port& port) {
        return checkLoss(run, port, repairs);
    };
    const Outcome outcome = checkPorts<IfUnused::Keep>(context, isMeasured, ifMeasured(loss),
                                                       ifMeasured(checkPauses), ifMeasured(checkStorms));
    return std::holds_alternative<NotApplicable>(outcome) ? NotApplicable{text::not_measured} : outcome;
}

} // namespace

RINGSIDE_RULE(roce_not_lossless, .title = text::heading, .needs = {{"sampled"}, " (rdma, ethtool)"},
              .options = kOptions, .run = run, .help = text::help, .checksLinks = true);

} // namespace ringside::rules::rule_roce_not_lossless
