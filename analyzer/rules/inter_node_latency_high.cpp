// SPDX-License-Identifier: Apache-2.0
// Finds small collectives between hosts that take milliseconds: every message pays that latency. It is
// measured on small messages if there are any, else taken from the run's own fit of time over message size.
#include "words/inter_node_latency_high.h"

#include "metrics/probed.h"
#include "rules/shared/ports.h"

#include <set>

namespace ringside::rules::rule_inter_node_latency_high {
namespace {

namespace text = words::inter_node_latency_high;

constexpr Option kOptions[] = {
    {"latency_ms", 5,
     "warn above this time of a small collective between hosts (field guides: 5 ms), if no probe is in the "
     "run"},
    {"probe_times", 10,
     "with a probe, warn above this multiple of what its round trips explain (those of RDMA if the run used "
     "it)"},
    {"least_ms", 1, "with a probe, never warn below this time"},
    {"small_bytes", 65536, "messages up to this size measure latency only"},
    {"min_count", 5, "fewest small collectives"},
};

bool spansHosts(const Context& context, const model::Operation& operation)
{
    std::set<std::size_t> hosts;
    for (const model::Participant& part : operation.participants) {
        hosts.insert(context.run.ranks[part.rank].host);
    }
    return hosts.size() > 1;
}

struct Small {
    std::vector<std::int64_t> ns;
    const metrics::ArrivedOperation* slowest = nullptr;
    double messagesPerStep = 0; ///< messages of all sizes between hosts
};

Small smallMessages(const Context& context)
{
    Small small;
    for (const metrics::ArrivedOperation& each : context.figures.arrived) {
        const model::Operation& operation = context.run.operations[each.operation];
        if (!spansHosts(context, operation)) {
            continue;
        }
        small.messagesPerStep += 1;
        if (!operation.bytes || static_cast<double>(*operation.bytes) > context.option("small_bytes")) {
            continue;
        }
        small.ns.push_back(each.times.transferNs());
        if (small.slowest == nullptr || each.times.transferNs() > small.slowest->times.transferNs()) {
            small.slowest = &each;
        }
    }
    small.messagesPerStep /= context.figures.periods();
    return small;
}

/// The time above which a small collective is slow, and the source of this limit.
struct Expectation {
    double ns = 0;
    words::Text from;
};

/// A ring over n ranks forwards a message 2(n-1) times, each of at most half a round trip.
Expectation expectationOf(const Context& context)
{
    constexpr double kNsAMs = 1e6;
    const metrics::Probed probed = metrics::probedOf(context.run);
    const auto write = isOverRdma(context) ? probed.medianRdmaWriteNs() : std::nullopt;
    const auto roundTrip = write ? write : probed.medianRoundTripNs();
    if (!roundTrip) {
        return {context.option("latency_ms") * kNsAMs,
                say(text::no_probe, {{"limit", context.option("latency_ms")}})};
    }
    const double explained = static_cast<double>(*roundTrip) *
                             static_cast<double>(std::max<std::int64_t>(1, context.run.worldSize - 1));
    return {std::max(explained * context.option("probe_times"), context.option("least_ms") * kNsAMs),
            say(write ? text::probed_rdma : text::probed, {{"explained", std::llround(explained)}})};
}

Finding describe(const Context& context, const Small& small, double latencyNs, const Expectation& expected)
{
    const auto exposed =
        static_cast<double>(context.figures.perStep(&metrics::Breakdown::exposedCommunicationNs) -
                            std::min(context.figures.perStep(&metrics::Breakdown::exposedCommunicationNs),
                                     context.figures.perStep(&metrics::Breakdown::waitDelayNs)));
    Finding finding;
    finding.costNsPerStep = std::llround(std::min(exposed, small.messagesPerStep * latencyNs));
    finding.severity = severityByCost(context, *finding.costNsPerStep);
    finding.limit = Limit::Link;
    finding.title = say(text::title, {{"latency", std::llround(latencyNs)},
                                      {"messages", small.messagesPerStep},
                                      {"expected", expected.from}});
    finding.settings = {"bucket_cap_mb", "no_sync", "NCCL_SOCKET_IFNAME"};
    finding.figures = {{"latency_ns", Unit::Ns, latencyNs, expected.ns},
                       {"messages", Unit::Count, small.messagesPerStep, {}, PerPeriod::Yes}};
    if (small.slowest != nullptr) {
        finding.evidence = {transferEvidence(context, *small.slowest, text::slowest)};
    }
    finding.advice = text::remedy;
    return finding;
}

Outcome run(const Context& context)
{
    if (context.run.hosts.size() < 2) {
        return NotApplicable{text::one_host};
    }
    if (!context.figures.arrivalsMeasured()) {
        return context.figures.ranks.empty() ? kNeedsDevice : kNeedsArrivals;
    }
    const Small small = smallMessages(context);
    double latencyNs = 0;
    if (static_cast<double>(small.ns.size()) >= context.option("min_count")) {
        latencyNs = static_cast<double>(model::median(small.ns));
    } else if (context.figures.allReduceFit) {
        latencyNs = context.figures.allReduceFit->latencyNs;
    } else {
        return NotApplicable{text::needs_small};
    }
    const Expectation expected = expectationOf(context);
    if (latencyNs <= expected.ns) {
        return std::vector<Finding>{};
    }
    if (const auto error = context.run.clockErrorNs(); !error || static_cast<double>(*error) >= latencyNs) {
        return kBelowClockError;
    }
    return std::vector<Finding>{describe(context, small, latencyNs, expected)};
}

} // namespace

RINGSIDE_RULE(inter_node_latency_high, .title = text::heading,
              .needs = {{"device"}, ", on all ranks of several hosts"}, .options = kOptions, .run = run,
              .help = text::help, .inferenceAdvice = text::inference, .partOf = {"exposed_communication"});

} // namespace ringside::rules::rule_inter_node_latency_high
