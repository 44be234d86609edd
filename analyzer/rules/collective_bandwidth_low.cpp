// SPDX-License-Identifier: Apache-2.0
// Collectives move their bytes much slower than the same ones do at other times, on other communicators, or
// than the user says the link can. On transfer time: waiting for late ranks is no fault of a link.
#include "metrics/link_use.h"
#include "metrics/probed.h"
#include "rules/ports.h"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>

namespace ringside::rules::rule_collective_bandwidth_low {
namespace {

constexpr double kMebibyte = 1048576.0;
constexpr Option kOptions[] = {
    {"part", 0.50, "warn when the median bus bandwidth is below this part of what was expected"},
    {"min_bytes", kMebibyte, "smaller messages are a matter of latency"},
    {"min_count", 10, "say nothing of fewer operations of a kind and size"},
    {"expected_gb_s", 0,
     "what the link should give, GB/s of bus bandwidth (field for NCCL: 20-50); 0: "
     "compare with a probe that is in the run, the rate of the ports, and the run's own best"},
    {"rate_ms", 2,
     "hold only those against the rate of the ports that take this long at that rate: in less, "
     "latency counts"},
};

using Key = std::tuple<std::uint64_t, model::CollectiveKind, std::uint64_t>; ///< communicator, kind, bytes

struct Transfers {
    std::int64_t ranks = 0;
    std::vector<std::int64_t> ns;
    const metrics::ArrivedOperation* slowest = nullptr;
};

std::map<Key, Transfers> transfersOf(const Context& context)
{
    std::map<Key, Transfers> groups;
    for (const metrics::ArrivedOperation& each : context.figures.arrived) {
        const model::Operation& operation = context.run.operations[each.operation];
        const std::int64_t ns = each.times.transferNs();
        if (!operation.bytes || static_cast<double>(*operation.bytes) < context.option("min_bytes") ||
            ns <= 0) {
            continue;
        }
        Transfers& group = groups[{operation.communicator, operation.kind, *operation.bytes}];
        group.ranks = operation.size;
        group.ns.push_back(ns);
        if (group.slowest == nullptr || ns > group.slowest->times.transferNs()) {
            group.slowest = &each;
        }
    }
    std::erase_if(groups, [&](const auto& entry) {
        return static_cast<double>(entry.second.ns.size()) < context.option("min_count");
    });
    return groups;
}

double busGBs(const Key& key, const Transfers& group, std::int64_t ns)
{
    const auto& [communicator, kind, bytes] = key;
    return metrics::algorithmBytes(kind, bytes, group.ranks) * metrics::busFactor(kind, group.ranks) /
           static_cast<double>(std::max<std::int64_t>(1, ns));
}

struct Expected {
    double gbs = 0;
    std::string_view from;
};

/// Its own best tenth, or the median of other communicators.
Expected bestOfRun(const std::map<Key, Transfers>& groups, const Key& key)
{
    const Transfers& own = groups.at(key);
    const Expected best{busGBs(key, own, model::percentile(own.ns, 0.1)), "its own best tenth"};
    std::vector<double> peers;
    for (const auto& [other, group] : groups) {
        if (std::get<1>(other) == std::get<1>(key) && std::get<2>(other) == std::get<2>(key) &&
            group.ranks == own.ranks && other != key) {
            peers.push_back(busGBs(other, group, model::median(group.ns)));
        }
    }
    const double peer = model::median(std::move(peers));
    return peer > best.gbs ? Expected{peer, "the same on other communicators"} : best;
}

/// What a probe's all-reduces of that size gave, with as many ranks.
std::optional<Expected> ofProbe(const metrics::Probed& probed, const Key& key, const Transfers& group)
{
    const auto gbs =
        std::get<1>(key) == model::CollectiveKind::AllReduce && probed.allReduceRanks == group.ranks
            ? probed.busGBs(std::get<2>(key))
            : std::nullopt;
    return gbs ? std::optional(Expected{*gbs, "what `ringside probe` measured for that size"}) : std::nullopt;
}

/// Against what collectives are held; gathered once.
struct Yardsticks {
    metrics::Probed probed;
    std::map<std::string, double> hostGBs;
    std::string_view hostsFrom = "the rate of the ports";
};

/// GB/s that a host's RDMA ports that carried data can carry together, each as much as a probe over RDMA
/// found where there is one in the run; where no port did, its fastest interface that did (a bond counts what
/// its cards do).
Yardsticks yardsticksOf(const Context& context)
{
    constexpr double kBits = 8.0;
    Yardsticks found{metrics::probedOf(context.run), {}};
    const bool rdma = isOverRdma(context);
    const auto probed = rdma ? found.probed.usualRdmaGBs() : std::nullopt;
    if (probed) {
        found.hostsFrom = "what `ringside probe` measured over RDMA";
    }
    for (const metrics::Port& port : rdma ? context.figures.ports : metrics::interfacesOf(context.run)) {
        const auto bits = port.carried() == std::optional(true) ? port.bitsPerNs() : std::nullopt;
        if (bits) {
            double& rate = found.hostGBs[port.host];
            rate = rdma ? rate + probed.value_or(*bits / kBits) : std::max(rate, *bits / kBits);
        }
    }
    return found;
}

/// The rate of what carried data on the host that has least of it: a ring can go no faster, and should not go
/// much slower. Null: not known of every host, or the message is so small that latency counts.
std::optional<Expected> ofPorts(const Context& context, const Yardsticks& yardsticks, const Key& key,
                                const Transfers& group)
{
    constexpr double kNsAMs = 1e6;
    const std::map<std::string, double>& hostGBs = yardsticks.hostGBs;
    if (hostGBs.size() < 2 || hostGBs.size() != context.run.hosts.size() ||
        group.ranks != context.run.worldSize) {
        return std::nullopt;
    }
    const double gbs =
        std::ranges::min_element(hostGBs, {}, [](const auto& each) { return each.second; })->second;
    const auto& [communicator, kind, bytes] = key;
    const double ns =
        metrics::algorithmBytes(kind, bytes, group.ranks) * metrics::busFactor(kind, group.ranks) / gbs;
    return ns >= context.option("rate_ms") * kNsAMs ? std::optional(Expected{gbs, yardsticks.hostsFrom})
                                                    : std::nullopt;
}

/// What the user says, else what a probe measured, else the rate of the ports if the run itself never came
/// near it, else the run's own best.
Expected expectedOf(const Context& context, const Yardsticks& yardsticks,
                    const std::map<Key, Transfers>& groups, const Key& key)
{
    if (context.option("expected_gb_s") > 0) {
        return {context.option("expected_gb_s"), "what was said of the link"};
    }
    const Transfers& group = groups.at(key);
    if (const auto probed = ofProbe(yardsticks.probed, key, group)) {
        return *probed;
    }
    const Expected best = bestOfRun(groups, key);
    const auto ports = ofPorts(context, yardsticks, key, group);
    return ports && ports->gbs > best.gbs ? *ports : best;
}

std::int64_t exposedTransfer(const Context& context, const Key& key)
{
    std::int64_t sum = 0;
    std::int64_t steps = 0;
    for (const metrics::RankMetrics& rank : context.figures.ranks) {
        steps += static_cast<std::int64_t>(rank.steps.size());
        for (const metrics::OperationExposure& each : rank.exposures) {
            const model::Operation& operation = context.run.operations[each.operation];
            if (operation.bytes && Key(operation.communicator, operation.kind, *operation.bytes) == key) {
                sum = model::addCapped(sum, each.exposedTransferNs());
            }
        }
    }
    return steps > 0 ? sum / steps : 0;
}

Finding describe(const Context& context, const Key& key, const Transfers& group, const Expected& expected,
                 double gbs)
{
    Finding finding;
    finding.costNsPerStep = std::llround(static_cast<double>(exposedTransfer(context, key)) *
                                         (1.0 - gbs / std::max(gbs, expected.gbs)));
    finding.severity = severityByCost(context, *finding.costNsPerStep);
    finding.limit = Limit::Link;
    finding.partOf = {"exposed_communication"};
    finding.title =
        fmt::format("{} of {} runs at {:.2f} GB/s of bus bandwidth (median), {} of {}",
                    model::collectiveName(std::get<1>(key)), byteText(static_cast<double>(std::get<2>(key))),
                    gbs, percent(gbs / expected.gbs), expected.from);
    finding.settings = {"NCCL_SOCKET_IFNAME", "NCCL_IB_HCA", "NCCL_MIN_CTAS"};
    finding.figures = {
        {"part_of_expected", Unit::Share, gbs / expected.gbs, context.option("part")},
        {"bus_gb_s", Unit::Ratio, gbs, {}},
        {"expected_gb_s", Unit::Ratio, expected.gbs, {}},
        {"operations", Unit::Count, static_cast<double>(group.ns.size()), context.option("min_count")}};
    finding.evidence = {
        transferEvidence(context, *group.slowest, "the slowest of them, from the last arrival on")};
    finding.advice = "Look for what shares the link at those times (other jobs, checkpoints, data loading "
                     "over the same interface), then at the path itself: `ringside links`, NCCL_DEBUG=INFO "
                     "for the transport and interface chosen, NCCL_MIN_CTAS for more channels.";
    return finding;
}

Outcome run(const Context& context)
{
    if (context.figures.ranks.empty()) {
        return kNeedsDevice;
    }
    if (!context.figures.arrivalsMeasured()) {
        return kNeedsArrivals;
    }
    const std::map<Key, Transfers> groups = transfersOf(context);
    if (groups.empty()) {
        return NotApplicable{
            fmt::format("needs at least {:.0f} collectives of one kind and size of {} or more",
                        context.option("min_count"), byteText(context.option("min_bytes")))};
    }
    const Yardsticks yardsticks = yardsticksOf(context);
    std::vector<Finding> findings;
    for (const auto& [key, group] : groups) {
        const Expected expected = expectedOf(context, yardsticks, groups, key);
        const double gbs = busGBs(key, group, model::median(group.ns));
        if (gbs < context.option("part") * expected.gbs) {
            findings.push_back(describe(context, key, group, expected, gbs));
        }
    }
    return findings;
}

} // namespace

RINGSIDE_RULE(
    collective_bandwidth_low, .title = "Collectives are slower than they can be",
    .needs = "device, on all ranks", .options = kOptions, .run = run,
    .help = "Median bus bandwidth on transfer time of each kind and size on a communicator, "
            "against expected_gb_s, what `ringside probe` measured, the rate of the ports that carried data, "
            "its own best tenth, or the same on other communicators: the title says which. The "
            "cost is what its exposed transfer would shrink by.");

} // namespace ringside::rules::rule_collective_bandwidth_low
