// SPDX-License-Identifier: Apache-2.0
// Finds errors of a port's physical link: symbols or packets are lost, or the link retrains, because of
// cable, transceiver or connector. The port itself counts them; only errors during the run matter.
#include "words/rdma_link_errors.h"

#include "rules/shared/link_cause.h"
#include "trace/vocabulary/link_generation.h"

#include <array>

namespace ringside::rules::rule_rdma_link_errors {
namespace {

namespace text = words::rdma_link_errors;

constexpr Option kOptions[] = {
    {"many", 10,
     "warn from this number of errors of a kind (infiniband-diags' error_thresholds), a problem from this "
     "number in an hour; below, a tenth of it in an hour warns"},
    {"many_side", 100,
     "the same for packets that were discarded, refused, or damaged on another link (infiniband-diags)"},
    {"symbol_ber", 5e-15,
     "warn above this symbol bit error rate on links with error correction (HDR and later); a problem above "
     "twice this (NVIDIA's cluster bring-up guide)"},
    {"symbol_ber_old", 1e-12, "the same on EDR and earlier; a problem above ten times this"},
    {"least_minutes", 125,
     "bit error rates are computed over at least this time, because a single error proves nothing (same "
     "guide)"},
};

struct Kind {
    trace::SeriesMetric metric;
    const words::Template* counted;
    bool side; ///< not caused by this link itself
};
const std::array<Kind, 10> kKinds{{
    {"rx_corrupt", &text::corrupt, false},
    {"rx_errors", &text::bad, false},
    {"link_error_recoveries", &text::recoveries, false},
    {"link_integrity_errors", &text::integrity, false},
    {"buffer_overruns", &text::overruns, false},
    {"rx_remote_physical_errors", &text::remote, true},
    {"tx_discards", &text::discards, true},
    {"tx_constraint_errors", &text::tx_refused, true},
    {"rx_constraint_errors", &text::rx_refused, true},
    {"symbol_errors", &text::symbols, false},
}};

bool corrected(const metrics::Port& port)
{
    return trace::isErrorCorrected(port.fact("generation"));
}

/// Returns the severity of symbol errors by their rate: errors over the bits that the link could have
/// carried.
std::optional<Severity> symbolSeverity(const Context& context, const metrics::Port& port, std::int64_t errors)
{
    constexpr double kNsAMinute = 60e9;
    const auto rate = port.last("rate_mbps");
    if (!rate || *rate <= 0) {
        return Severity::Warning;
    }
    const double minutes = std::max(minutesOf(port.sampled()), context.option("least_minutes"));
    const double bits = static_cast<double>(*rate) / 1000.0 * minutes * kNsAMinute;
    const double ber = static_cast<double>(errors) / bits;
    const double warn = context.option(corrected(port) ? "symbol_ber" : "symbol_ber_old");
    constexpr double kCorrectedFactor = 2.0;
    constexpr double kOldFactor = 10.0;
    if (ber <= warn) {
        return std::nullopt;
    }
    return ber > warn * (corrected(port) ? kCorrectedFactor : kOldFactor) ? Severity::Problem
                                                                          : Severity::Warning;
}

std::optional<Severity> severityOf(const Context& context, const metrics::Port& port, const Kind& kind,
                                   std::int64_t errors)
{
    if (errors <= 0) {
        return std::nullopt;
    }
    if (kind.metric == "symbol_errors") {
        return symbolSeverity(context, port, errors);
    }
    if (kind.metric == "rx_corrupt") {
        return Severity::Problem;
    }
    constexpr double kMinutesAnHour = 60.0;
    constexpr double kFew = 0.1;
    const double many = context.option(kind.side ? "many_side" : "many");
    const auto count = static_cast<double>(errors);
    const double anHour = count / std::max(1.0, minutesOf(port.sampled()) / kMinutesAnHour);
    return anHour >= many                           ? Severity::Problem
           : count >= many || anHour >= kFew * many ? Severity::Warning
                                                    : Severity::Info;
}

/// Damaged on another link: this port only passes on what an earlier hop marked.
const words::Template& adviceFor(bool onlyUpstream)
{
    return onlyUpstream ? text::remedy_upstream : text::remedy;
}

/// What bad packets were, where perfquery -E tells.
words::Text detailsText(const metrics::Port& port)
{
    const std::string_view details = port.fact("receive_error_details");
    return details.empty() ? words::Text() : say(text::details, {{"details", details}});
}

void addNext(words::Text& list, words::Text next)
{
    if (!list.empty()) {
        list += text::next;
    }
    list += std::move(next);
}

std::optional<Finding> checkErrors(const Context& context, const metrics::Port& port)
{
    Finding finding;
    finding.severity = Severity::Info;
    words::Text counted;
    std::vector<model::Interval> moved;
    bool onlyUpstream = true;
    for (const Kind& kind : kKinds) {
        const std::int64_t errors = port.gain(kind.metric).value_or(0);
        const auto severity = severityOf(context, port, kind, errors);
        if (!severity) {
            continue;
        }
        finding.severity = std::max(finding.severity, severityIfUsed(port, *severity));
        onlyUpstream = onlyUpstream && kind.metric == "rx_remote_physical_errors";
        const words::Text count = say(*kind.counted, {{"count", errors}});
        addNext(counted, port.gainedAtLeast(kind.metric) ? text::at_least + count : count);
        finding.figures.push_back(
            {std::string(kind.metric.text()), Unit::Count, static_cast<double>(errors), {}});
        for (const metrics::Gain& each : port.gains(kind.metric)) {
            if (each.gain > 0) {
                moved.push_back(each.between);
            }
        }
    }
    if (counted.empty()) {
        return std::nullopt;
    }
    finding.title =
        say(text::title, {{"port", port.label()}, {"errors", counted}, {"details", detailsText(port)}});
    addEvidence(context, port, moved.front(), text::first_counted, finding);
    addCause(port, moved, finding);
    addSlowCollectives(context, port, moved, finding);
    finding.advice = adviceFor(onlyUpstream);
    return finding;
}

/// Returns true for a port whose totals are in a file of another tool, read only once, so that an increase
/// cannot be measured.
bool isReadOnce(const metrics::Port& port)
{
    return !port.fact("read_by").empty() &&
           std::ranges::all_of(port.values, [](const auto& metric) { return metric.second.size() <= 1; });
}

std::optional<Finding> checkHistory(const Context& context, const metrics::Port& port)
{
    if (!isReadOnce(port)) {
        return std::nullopt;
    }
    Finding finding;
    words::Text counted;
    bool many = false;
    const auto add = [&](const trace::SeriesMetric& metric, const words::Template& what, double least) {
        const std::int64_t count = port.last(metric).value_or(0);
        if (count > 0) {
            many = many || static_cast<double>(count) >= least;
            addNext(counted, say(what, {{"count", count}}));
            finding.figures.push_back(
                {std::string(metric.text()), Unit::Count, static_cast<double>(count), least});
        }
    };
    add("link_downed", text::losses, context.option("many"));
    for (const Kind& kind : kKinds) {
        add(kind.metric, *kind.counted, context.option(kind.side ? "many_side" : "many"));
    }
    if (counted.empty()) {
        return std::nullopt;
    }
    finding.severity = many ? Severity::Warning : Severity::Info;
    finding.title =
        say(text::history, {{"port", port.label()}, {"errors", counted}, {"details", detailsText(port)}});
    finding.advice = text::remedy_history;
    return finding;
}

bool isMeasured(const metrics::Port& port)
{
    return isReadOnce(port) || std::any_of(kKinds.begin(), kKinds.end(), [&](const Kind& kind) {
               return port.gain(kind.metric).has_value();
           });
}

Outcome run(const Context& context)
{
    return checkPorts(context, isMeasured, checkErrors, checkHistory);
}

} // namespace

RINGSIDE_RULE(rdma_link_errors, .title = text::heading, .needs = "sampled (rdma)", .options = kOptions,
              .run = run, .help = text::help, .checksLinks = true);

} // namespace ringside::rules::rule_rdma_link_errors
