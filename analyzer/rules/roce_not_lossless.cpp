// SPDX-License-Identifier: Apache-2.0
// Finds RoCE networks that lose packets because nothing slows down the senders in time: neither pause frames
// (PFC) nor congestion marks (ECN). If pause frames alone do it, they stop all senders behind a slow
// receiver.
#include "words/roce_not_lossless.h"

#include "rules/shared/device_samples.h"
#include "rules/shared/port_peers.h"
#include "rules/shared/settings.h"
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

/// A RoCE port with the ethtool counters of its interface.
struct RocePort {
    const metrics::Port* port = nullptr;
    const trace::ProcessTrace* sampler =
        nullptr; ///< process that sampled ethtool's counters; null if none did
    std::string netdev;

    [[nodiscard]] std::optional<std::int64_t> gain(const trace::SeriesMetric& metric) const
    {
        return sampler == nullptr ? std::nullopt
                                  : metrics::gainIn(*sampler, {"ethtool", netdev, metric}, wholeLife());
    }
};

std::vector<RocePort> rocePorts(const Context& context)
{
    std::vector<RocePort> all;
    for (const metrics::Port& port : context.figures.ports) {
        if (port.fact("link_layer") != "Ethernet" || isSoftware(port) || isEfa(port)) {
            continue;
        }
        RocePort each{&port, nullptr, std::string(port.fact("netdev"))};
        for (const trace::ProcessTrace& process : context.run.trace.processes) {
            for (const trace::SeriesRow& row : process.series) {
                if (process.process.host == port.host && row.source == "ethtool" &&
                    row.entity == each.netdev) {
                    each.sampler = &process;
                }
            }
        }
        all.push_back(std::move(each));
    }
    return all;
}

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
std::optional<double> lossOf(const RocePort& each, std::int64_t repairs)
{
    const auto received = each.port->gain("rx_packets");
    const auto missing = each.port->gain("rx_out_of_sequence");
    const auto discarded = each.gain("rx_discards");
    if (!received || *received <= 0 || (!missing && !discarded)) {
        return std::nullopt;
    }
    const std::int64_t repaired = model::addCapped(repairs, each.port->gain("rx_duplicates").value_or(0));
    const auto lost = static_cast<double>(std::min(missing.value_or(0), repaired)) +
                      static_cast<double>(discarded.value_or(0));
    return lost / static_cast<double>(*received);
}

/// Returns which flow control was not seen, for example "no pause frame and no mark of congestion was seen";
/// empty if senders were slowed down.
words::Text whatIsMissing(const RocePort& each)
{
    const auto rx = each.gain("rx_pauses");
    const auto tx = each.gain("tx_pauses");
    const auto marked = each.port->gain("ecn_marked");
    const bool noPause = (rx || tx) && rx.value_or(0) <= 0 && tx.value_or(0) <= 0;
    const bool noMark = marked == std::optional<std::int64_t>(0);
    const bool off = each.sampler != nullptr &&
                     foreignSettingOf(*each.sampler, "network", each.netdev + " pfc_priorities") == "none";
    if (noPause && off) {
        return noMark ? text::off_and_no_mark : text::off;
    }
    return noPause && noMark ? text::neither
           : noPause         ? text::no_pause
           : noMark          ? text::no_mark
                             : words::Text();
}

Finding findingOf(const Context& context, const RocePort& each)
{
    Finding finding;
    finding.limit = Limit::Link;
    finding.links = {each.port->label()};
    addEvidence(context, *each.port, each.port->sampled(), words::span::sampled, finding);
    finding.settings = {"NCCL_IB_TC"};
    return finding;
}

std::optional<Finding> checkLoss(const Context& context, const RocePort& each, std::int64_t repairs)
{
    const auto loss = lossOf(each, repairs);
    const words::Text missing = whatIsMissing(each);
    if (!loss || *loss <= context.option("loss") || missing.empty()) {
        return std::nullopt;
    }
    Finding finding = findingOf(context, each);
    finding.severity = severityIfUsed(*each.port, Severity::Warning);
    finding.title = say(text::lost, {{"port", each.port->label()}, {"loss", *loss}, {"missing", missing}});
    finding.figures = {{"loss", Unit::Share, *loss, context.option("loss")}};
    finding.advice = text::remedy_loss;
    return finding;
}

/// The adapter's driver stops it when it has sent pause frames for too long (mlx5: pause storm error events);
/// warning events come before that and change nothing.
std::optional<Finding> checkStorms(const Context& context, const RocePort& each)
{
    const std::int64_t storms = each.gain("pause_storms").value_or(0);
    const std::int64_t warnings = each.gain("pause_storm_warnings").value_or(0);
    if (storms <= 0 && warnings <= 0) {
        return std::nullopt;
    }
    Finding finding = findingOf(context, each);
    finding.severity = storms > 0 ? severityIfUsed(*each.port, Severity::Problem) : Severity::Info;
    finding.title = storms > 0 ? say(text::storms, {{"port", each.port->label()}, {"storms", storms}})
                               : say(text::warnings, {{"port", each.port->label()}, {"warnings", warnings}});
    finding.figures = {{"pause_storms", Unit::Count, static_cast<double>(storms), 0},
                       {"pause_storm_warnings", Unit::Count, static_cast<double>(warnings), {}}};
    finding.advice = text::remedy_storms;
    return finding;
}

std::optional<Finding> checkPauses(const Context& context, const RocePort& each)
{
    const auto us = each.gain("rx_pause_us");
    const double seconds = static_cast<double>(each.port->sampled().length()) / 1e9;
    const double share = us && seconds > 0 ? std::min(1.0, static_cast<double>(*us) / 1e6 / seconds) : 0.0;
    if (share <= context.option("paused")) {
        return std::nullopt;
    }
    Finding finding = findingOf(context, each);
    const bool much = share >= context.option("paused_much");
    finding.severity = severityIfUsed(*each.port, much ? Severity::Warning : Severity::Info);
    finding.title = say(text::paused, {{"port", each.port->label()}, {"share", share}});
    finding.figures = {{"paused_share", Unit::Share, share, context.option("paused")}};
    finding.advice = text::remedy_paused;
    return finding;
}

bool isMeasured(const RocePort& each)
{
    return lossOf(each, 0) || each.gain("rx_pause_us") || each.gain("pause_storms");
}

Outcome run(const Context& context)
{
    std::vector<Finding> findings;
    bool known = false;
    const std::int64_t repairs = repairsOf(context);
    for (const RocePort& each : rocePorts(context)) {
        known = known || isMeasured(each);
        for (auto& finding :
             {checkLoss(context, each, repairs), checkPauses(context, each), checkStorms(context, each)}) {
            if (finding) {
                findings.push_back(*finding);
            }
        }
    }
    if (!known) {
        return NotApplicable{text::not_measured};
    }
    return findings;
}

} // namespace

RINGSIDE_RULE(roce_not_lossless, .title = text::heading, .needs = {{"sampled"}, " (rdma, ethtool)"},
              .options = kOptions, .run = run, .help = text::help, .checksLinks = true);

} // namespace ringside::rules::rule_roce_not_lossless
