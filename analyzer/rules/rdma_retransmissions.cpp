// SPDX-License-Identifier: Apache-2.0
// Finds retransmissions and failures of the RDMA transport. The counters that increased show the cause: a
// peer or path that did not answer, packets lost on the path, a receiver that posted no buffers, or an error
// of a program. Most are counted only by the sender; the peer sees nothing.
#include "words/rdma_retransmissions.h"

#include "metrics/links.h"
#include "rules/shared/conditions.h"
#include "rules/shared/link_cause.h"
#include "rules/shared/port_outage.h"
#include "rules/shared/port_peers.h"
#include "rules/shared/settings.h"
#include "words/span.h"

#include <algorithm>
#include <map>

namespace ringside::rules::rule_rdma_retransmissions {
namespace {

struct LossyPace {
    double lossy = 0; ///< bytes per ns while packets were lost; packets per ns if bytes are not counted
    double other = 0; ///< the same between samples without loss
    [[nodiscard]] double ratio() const { return lossy / other; }
};

/// Returns medians over the intervals between samples in which the port sent. An interval counts as lossy if
/// more than `few` of its packets were lost. Returns null if there are fewer than three intervals of either
/// kind, or if traffic is not measured.
std::optional<LossyPace> lossyPace(const metrics::Port& port, double few)
{
    constexpr std::size_t kLeast = 3;
    std::map<std::int64_t, std::int64_t> again; // keyed by the end of the interval
    for (const metrics::Gain& each : port.gains("retransmissions")) {
        again[each.between.end] = each.gain;
    }
    std::map<std::int64_t, std::int64_t> bytes;
    for (const metrics::Gain& each : port.gains("tx_bytes")) {
        bytes[each.between.end] = each.gain;
    }
    std::vector<double> lossy;
    std::vector<double> other;
    for (const metrics::Gain& sent : port.gains("tx_packets")) {
        const auto lost = again.find(sent.between.end);
        const auto size = bytes.find(sent.between.end);
        if (sent.gain <= 0 || sent.between.length() <= 0 || lost == again.end() ||
            (size == bytes.end() && !bytes.empty())) {
            continue;
        }
        const auto carried = static_cast<double>(bytes.empty() ? sent.gain : size->second);
        const bool isLossy = static_cast<double>(lost->second) > few * static_cast<double>(sent.gain);
        (isLossy ? lossy : other).push_back(carried / static_cast<double>(sent.between.length()));
    }
    if (lossy.size() < kLeast || other.size() < kLeast) {
        return std::nullopt;
    }
    const LossyPace pace{model::median(std::move(lossy)), model::median(std::move(other))};
    return pace.other > 0 ? std::optional(pace) : std::nullopt;
}

namespace text = words::rdma_retransmissions;

constexpr Option kOptions[] = {
    {"loss", 1e-6,
     "warn above this share of retransmitted packets; a problem above 100 times this (1 % loss cost 77 % of "
     "the throughput in a measurement)"},
    {"loss_software", 1e-4,
     "the same for ports in software (rxe, siw), which lose some packets without a fault; at most a warning"},
    {"loss_efa", 1e-3,
     "report above this share on EFA, which retransmits by design; AWS gives no limit, so it warns only if "
     "collectives were slow at that time"},
    {"loss_least", 20, "fewest retransmitted packets; fewer are no share of anything"},
    {"timeouts", 1,
     "report from this number of acknowledgement timeouts, warn from this number in an hour: processes that "
     "end leave some"},
    {"timeouts_at_once", 3, "a problem from this number between two samples at most a minute apart"},
    {"not_ready", 1, "report from this number of messages that met a receiver without posted buffers"},
    {"not_ready_a_second", 10,
     "a problem above this rate per second, if collectives were slow then; a warning where no collectives "
     "are "
     "recorded"},
};

using Counters = std::vector<trace::SeriesMetric>;

std::int64_t gained(const metrics::Port& port, const trace::SeriesMetric& metric)
{
    return port.gain(metric).value_or(0);
}

void addFigure(const metrics::Port& port, const trace::SeriesMetric& metric, std::optional<double> threshold,
               Finding& finding)
{
    if (const auto gain = port.gain(metric)) {
        finding.figures.push_back(
            {std::string(metric.text()), Unit::Count, static_cast<double>(*gain), threshold});
    }
}

Finding findingFromFirst(const Context& context, const metrics::Port& port,
                         const std::vector<model::Interval>& moved)
{
    Finding finding;
    if (!moved.empty()) {
        const auto first = std::min_element(moved.begin(), moved.end(),
                                            [](const auto& a, const auto& b) { return a.start < b.start; });
        addEvidence(context, port, *first, words::span::first_counted, finding);
    }
    return finding;
}

/// Returns the time in ns that NCCL's queue pairs wait for an acknowledgement before they retransmit: 4.096
/// us x 2^NCCL_IB_TIMEOUT.
double timeoutNs(const Context& context)
{
    constexpr std::int64_t kDefault = 20; // since NCCL 2.23; 18 since 2.14, 14 before
    constexpr double kUnitNs = 4096.0;
    constexpr std::int64_t kLargest = 31;
    std::int64_t exponent = kDefault;
    for (const trace::ProcessTrace& process : context.run.trace.processes) {
        const auto set = values::parseNumber<std::int64_t>(
            foreignSettingOf(process, "environment", "NCCL_IB_TIMEOUT").value_or(""));
        exponent = set && *set >= 0 && *set <= kLargest ? *set : exponent;
    }
    return kUnitNs * static_cast<double>(std::int64_t{1} << exponent);
}

/// Returns the longest time in ns in which the port sent and retransmitted but received nothing. It applies
/// only to ports in software, which do not count timeouts.
std::int64_t unansweredNs(const metrics::Port& port)
{
    const auto sent = port.gains("tx_packets");
    const auto came = port.gains("rx_packets");
    const auto again = port.gains("requester_retries");
    std::int64_t longest = 0;
    std::int64_t length = 0;
    std::size_t readings = 0;
    for (std::size_t i = 0; i < std::min({sent.size(), came.size(), again.size()}); ++i) {
        const bool silent = sent[i].gain > 0 && came[i].gain == 0 && again[i].gain > 0;
        length = silent ? length + sent[i].between.length() : 0;
        readings = silent ? readings + 1 : 0;
        longest = readings >= 2 ? std::max(longest, length) : longest;
    }
    return longest;
}

double hoursOf(const metrics::Port& port)
{
    constexpr double kMinutesAnHour = 60.0;
    return std::max(1.0, minutesOf(port.sampled()) / kMinutesAnHour);
}

/// Returns true if several timeouts fall between two readings that are near to each other.
bool timedOutAtOnce(const Context& context, const metrics::Port& port)
{
    return std::ranges::any_of(port.gains("ack_timeouts"), [&](const metrics::Gain& each) {
        return minutesOf(each.between) <= 1.0 &&
               static_cast<double>(each.gain) >= context.option("timeouts_at_once");
    });
}

words::Text gaveUpText(std::int64_t given)
{
    return given <= 0   ? words::Text()
           : given == 1 ? text::gave_up_once
                        : say(text::gave_up, {{"given", given}});
}

/// How a port that found no answer is described.
struct Unanswered {
    std::int64_t timeouts = 0;
    std::int64_t given = 0;
    std::int64_t silentNs = 0;
};

words::Text unansweredTitle(const metrics::Port& port, const Unanswered& seen, double stallNs)
{
    if (seen.silentNs > 0) {
        return say(text::silent, {{"port", port.label()}, {"silent", seen.silentNs}});
    }
    if (isEfa(port)) {
        return say(text::efa_timeouts,
                   {{"port", port.label()}, {"timeouts", seen.timeouts}, {"given", gaveUpText(seen.given)}});
    }
    return say(text::timeouts, {{"port", port.label()},
                                {"timeouts", seen.timeouts},
                                {"stall", stallNs},
                                {"given", gaveUpText(seen.given)}});
}

void adviseOnSilence(const metrics::Port& port, Finding& finding)
{
    if (isEfa(port)) {
        finding.advice = text::remedy_efa_silent;
        return;
    }
    finding.advice = text::remedy_silent;
    finding.settings = {"NCCL_IB_TIMEOUT", "NCCL_IB_RETRY_CNT"};
}

/// Adds other ports that were down, the cause, and collectives that were slow at that time.
void explain(const Context& context, const metrics::Port& port, const std::vector<model::Interval>& moved,
             double patienceNs, Finding& finding)
{
    addOutages(context, port, moved, patienceNs, finding);
    addCause(port, moved, finding);
    if (addSlowCollectives(context, port, moved, finding)) {
        finding.severity = std::max(finding.severity, Severity::Warning);
    }
}

std::optional<Finding> findUnanswered(const Context& context, const metrics::Port& port)
{
    const Unanswered seen{gained(port, "ack_timeouts"), gained(port, "retries_exceeded"), unansweredNs(port)};
    const bool efaTimeouts = isEfa(port) && seen.given == 0; // its timeouts choose another path
    if (seen.given == 0 && seen.silentNs == 0 &&
        (efaTimeouts || static_cast<double>(seen.timeouts) < context.option("timeouts"))) {
        return std::nullopt;
    }
    const auto moved = movedIn(port, Counters{"ack_timeouts", "retries_exceeded", "requester_retries"});
    Finding finding = findingFromFirst(context, port, moved);
    const double anHour = static_cast<double>(seen.timeouts) / hoursOf(port);
    const bool bad = seen.given > 0 || seen.silentNs > 0 || timedOutAtOnce(context, port) ||
                     (hoursOf(port) <= 1.0 && anHour >= context.option("timeouts_at_once"));
    finding.severity = bad                                    ? Severity::Problem
                       : anHour >= context.option("timeouts") ? Severity::Warning
                                                              : Severity::Info;
    finding.broken = seen.given > 0;
    const double stall = static_cast<double>(seen.timeouts) * timeoutNs(context);
    finding.title = unansweredTitle(port, seen, stall);
    if (!isEfa(port) && seen.silentNs == 0) {
        finding.figures.push_back({"stall_ns", Unit::Ns, stall, {}});
    }
    addFigure(port, "ack_timeouts", context.option("timeouts"), finding);
    addFigure(port, "retries_exceeded", 0, finding);
    addFigure(port, "adaptive_retransmissions", {}, finding);
    explain(context, port, moved, timeoutNs(context), finding);
    adviseOnSilence(port, finding);
    return finding;
}

/// Adds the rate at which the port sent while it lost packets, if that was lower than its usual rate.
void addPace(const metrics::Port& port, double few, Finding& finding)
{
    const auto pace = lossyPace(port, few);
    if (pace && pace->ratio() < 1.0) {
        finding.title += say(text::pace, {{"pace", pace->ratio()}});
        finding.figures.push_back({"pace_while_lost", Unit::Share, pace->ratio(), {}});
    }
}

void adviseOnLoss(const metrics::Port& port, Finding& finding)
{
    if (isEfa(port)) {
        finding.advice = text::remedy_efa_loss;
        return;
    }
    finding.advice = text::remedy_loss;
    finding.settings = {"NCCL_IB_TC"};
}

std::optional<Finding> findLoss(const Context& context, const metrics::Port& port)
{
    const std::int64_t again = gained(port, "retransmissions");
    const auto sent = port.gain("tx_packets");
    if (static_cast<double>(again) < std::max(1.0, context.option("loss_least"))) {
        return std::nullopt;
    }
    const bool mild = isSoftware(port) || isEfa(port);
    const double few = context.option(isSoftware(port) ? "loss_software" : isEfa(port) ? "loss_efa" : "loss");
    constexpr double kMany = 100.0;
    // If the traffic is not measured, it is known only that packets were lost.
    const double share =
        sent && *sent > 0 ? static_cast<double>(again) / static_cast<double>(*sent) : few * (1.0 + 1e-9);
    if (share <= few) {
        return std::nullopt;
    }
    const auto moved = movedIn(port, Counters{"retransmissions"});
    Finding finding = findingFromFirst(context, port, moved);
    const bool many = !mild && share > few * kMany;
    finding.severity = many ? Severity::Problem : isEfa(port) ? Severity::Info : Severity::Warning;
    finding.title = say(
        text::lost, {{"port", port.label()},
                     {"again", again},
                     {"share", sent && *sent > 0 ? say(text::share, {{"share", share}}) : words::Text()}});
    if (sent && *sent > 0) {
        finding.figures.push_back({"loss", Unit::Share, share, few});
    }
    addFigure(port, "retransmissions", {}, finding);
    addFigure(port, "rx_out_of_sequence", {}, finding);
    addPace(port, few, finding);
    explain(context, port, moved, 0, finding);
    adviseOnLoss(port, finding);
    return finding;
}

std::optional<Finding> findNotReady(const Context& context, const metrics::Port& port)
{
    const std::int64_t refused = gained(port, "rnr_naks");
    const std::int64_t none = gained(port, "rx_no_buffer");
    const std::int64_t given = gained(port, "rnr_retries_exceeded");
    if (static_cast<double>(std::max(refused, none)) < context.option("not_ready") && given == 0) {
        return std::nullopt;
    }
    const auto moved = movedIn(port, Counters{"rnr_naks", "rx_no_buffer", "rnr_retries_exceeded"});
    Finding finding = findingFromFirst(context, port, moved);
    constexpr double kNsASecond = 1e9;
    const double seconds = std::max(1.0, static_cast<double>(port.sampled().length()) / kNsASecond);
    const double rate = static_cast<double>(std::max(refused, none)) / seconds;
    finding.severity = given > 0 ? Severity::Problem : Severity::Info;
    finding.broken = given > 0;
    finding.title = none > 0
                        ? say(text::no_buffer, {{"port", port.label()}, {"messages", none}})
                        : say(text::not_ready, {{"port", port.label()}, {"times", std::max(refused, given)}});
    finding.title += given > 0 ? say(text::pair_lost, {{"given", gaveUpText(given)}}) : text::too_slow;
    finding.figures.push_back(
        {"not_ready_a_second", Unit::PerSecond, rate, context.option("not_ready_a_second")});
    addFigure(port, "rnr_naks", context.option("not_ready"), finding);
    addFigure(port, "rx_no_buffer", context.option("not_ready"), finding);
    addCause(port, moved, finding);
    if (addSlowCollectives(context, port, moved, finding)) {
        finding.severity =
            std::max(finding.severity,
                     rate > context.option("not_ready_a_second") ? Severity::Problem : Severity::Warning);
    } else if (!context.figures.arrivalsMeasured() && rate > context.option("not_ready_a_second")) {
        finding.severity = std::max(finding.severity, Severity::Warning);
    }
    finding.advice = text::remedy_not_ready;
    return finding;
}

/// Errors of programs, and connections that EFA takes for impaired: the rows of the table.
std::optional<Finding> findRows(const Context& context, const metrics::Port& port)
{
    auto rows = conditions::judge(port, conditions::conditionsOf("rdma_retransmissions"), limitsOf(context));
    std::erase_if(rows,
                  [](const conditions::Judged& row) { return row.condition->metric == "retries_exceeded"; });
    if (rows.empty()) {
        return std::nullopt;
    }
    const auto moved = movedIn(port, rows);
    Finding finding = findingFromFirst(context, port, moved);
    finding.severity = worstOf(rows);
    finding.title = say(text::of_port, {{"port", port.label()}, {"what", listOf(rows, text::and_it)}});
    for (const conditions::Judged& row : rows) {
        addFigure(port, row.condition->metric, 0, finding);
    }
    if (rows.front().condition->metric != "impaired_connections") {
        addCause(port, moved, finding);
        finding.advice = text::remedy_refused;
        return finding;
    }
    if (addSlowCollectives(context, port, moved, finding)) {
        finding.severity = Severity::Warning;
    }
    adviseOnLoss(port, finding);
    return finding;
}

bool isMeasured(const metrics::Port& port)
{
    const std::initializer_list<trace::SeriesMetric> counters{
        "ack_timeouts", "retransmissions", "requester_retries", "rnr_naks", "rx_no_buffer"};
    return isAnyRead(port, conditions::conditionsOf("rdma_retransmissions")) ||
           std::ranges::any_of(counters, [&](const auto& metric) { return port.gain(metric).has_value(); });
}

Outcome run(const Context& context)
{
    return checkPorts(context, isMeasured, findUnanswered, findLoss, findNotReady, findRows);
}

} // namespace

RINGSIDE_RULE(rdma_retransmissions, .title = text::heading, .needs = {{"sampled"}, " (rdma)"},
              .options = kOptions, .run = run, .help = text::help, .checksLinks = true);

} // namespace ringside::rules::rule_rdma_retransmissions
