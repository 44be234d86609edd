// SPDX-License-Identifier: Apache-2.0
// Finds collectives that are much slower than the same ones at other times or on other communicators, or than
// the link allows. The bandwidth is computed on transfer time, because waiting for late ranks is no fault of
// a link. In the comparison with its own best, only delays that grow with the message size count, because
// other work on a host delays all sizes alike.
#include "words/collective_bandwidth_low.h"

#include "metrics/link_use.h"
#include "metrics/probed.h"
#include "model/time.h"
#include "rules/shared/ports.h"
#include "values/quantile.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <vector>

namespace ringside::rules::rule_collective_bandwidth_low {
namespace {

/// Transfers of one kind and size over one communicator.
struct SizedTransfers {
    double bytes = 0;
    double bestNs = 0; ///< the 10th percentile
    double medianNs = 0;
    double medianErrorNs = 0; ///< standard error of the median
};

/// Summarizes the transfer times of one size.
SizedTransfers sizedTransfers(double bytes, const std::vector<std::int64_t>& transferNs)
{
    constexpr double kBest = 0.1;
    // Ratios for a normal distribution: standard deviation to median absolute deviation, and standard error
    // of the median to that of the mean.
    constexpr double kDeviation = 1.4826;
    constexpr double kMedian = 1.2533;
    const auto median = static_cast<double>(model::median(transferNs));
    std::vector<double> deviations;
    deviations.reserve(transferNs.size());
    for (const std::int64_t ns : transferNs) {
        deviations.push_back(std::abs(static_cast<double>(ns) - median));
    }
    const auto count = static_cast<double>(std::max<std::size_t>(1, transferNs.size()));
    return {bytes, static_cast<double>(values::quantile(transferNs, kBest)), median,
            kMedian * kDeviation * model::median(deviations) / std::sqrt(count)};
}

/// Returns a lower bound of how much longer a byte usually takes than at its best, in ns per byte. The delay
/// of a size is its median minus its best. The difference of two sizes' delays, less two standard errors,
/// divided by the difference of the sizes, is the part that grows with the size. The result is the median of
/// that over all `others` that are at most half or at least twice as large. Null if there are none, because
/// the size then cannot be distinguished from other causes.
std::optional<double> delayNsPerByte(const SizedTransfers& of, std::span<const SizedTransfers> others)
{
    constexpr double kApart = 2;
    constexpr double kErrors = 2;
    std::vector<double> slopes;
    for (const SizedTransfers& other : others) {
        if (std::max(of.bytes, other.bytes) < kApart * std::min(of.bytes, other.bytes)) {
            continue;
        }
        const double growth = (of.medianNs - of.bestNs) - (other.medianNs - other.bestNs);
        const double error = kErrors * std::hypot(of.medianErrorNs, other.medianErrorNs);
        const double bytes = of.bytes - other.bytes;
        slopes.push_back(std::max(0.0, (growth / bytes) - (error / std::abs(bytes))));
    }
    return slopes.empty() ? std::nullopt : std::optional(model::median(slopes));
}

namespace text = words::collective_bandwidth_low;

constexpr double kMebibyte = 1048576.0;
constexpr Option kOptions[] = {
    {"part", 0.50, "warn when the median bus bandwidth is below this part of what was expected"},
    {"min_bytes", kMebibyte, "ignore smaller messages, because latency dominates them"},
    {"min_count", 10, "fewest operations of one kind and size"},
    {"expected_gb_s", 0,
     "expected bus bandwidth of the link, GB/s (field for NCCL: 20-50); 0: compare with a probe that is in "
     "the run, the rate of the ports, and the run's own best"},
    {"rate_ms", 2,
     "compare with the rate of the ports only messages that take this long at that rate, because latency "
     "dominates shorter ones"},
};

using Key = std::tuple<std::uint64_t, model::CollectiveKind, std::uint64_t>; ///< communicator, kind, bytes

struct Transfers {
    std::int64_t ranks = 0;
    std::vector<std::int64_t> ns;
    const metrics::ArrivedOperation* slowest = nullptr;
};

using Groups = std::map<Key, Transfers>;

/// Returns the transfers of each kind and size with at least min_count operations.
Groups transfersOf(const Context& context)
{
    Groups groups;
    for (const metrics::ArrivedOperation& each : context.figures.arrived) {
        const model::Operation& operation = context.run.operations[each.operation];
        const std::int64_t ns = each.times.transferNs();
        if (!operation.bytes || ns <= 0) {
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

double busGBs(const Key& key, const Transfers& group)
{
    return busGBs(key, group, model::median(group.ns));
}

struct Expected {
    double gbs = 0;
    const words::Template* from = nullptr;
    double seenGBs = 0; ///< the measured bandwidth that is compared with it
    const words::Template* seen = &text::median;
};

/// Compares with the group's own best tenth. The measured value is the best tenth's time plus the delay that
/// grows with the message size. Returns null if no other size exists to measure that delay.
std::optional<Expected> bestTenth(const Groups& groups, const Key& key)
{
    const auto& [communicator, kind, bytes] = key;
    std::vector<SizedTransfers> others;
    for (const auto& [other, group] : groups) {
        if (std::get<0>(other) == communicator && std::get<1>(other) == kind && other != key) {
            others.push_back(sizedTransfers(static_cast<double>(std::get<2>(other)), group.ns));
        }
    }
    const Transfers& own = groups.at(key);
    const auto sized = sizedTransfers(static_cast<double>(bytes), own.ns);
    const auto delay = delayNsPerByte(sized, others);
    if (!delay) {
        return std::nullopt;
    }
    const double byBytesNs = std::min(sized.medianNs, sized.bestNs + *delay * sized.bytes);
    constexpr double kSame = 0.99;
    const bool delayed = byBytesNs < kSame * sized.medianNs;
    return Expected{busGBs(key, own, std::llround(sized.bestNs)), &text::best_tenth,
                    busGBs(key, own, std::llround(byBytesNs)),
                    delayed ? &text::undelayed_median : &text::median};
}

/// Compares with the median of the same collectives on other communicators.
std::optional<Expected> peersOf(const Groups& groups, const Key& key)
{
    const Transfers& own = groups.at(key);
    std::vector<double> peers;
    for (const auto& [other, group] : groups) {
        if (std::get<1>(other) == std::get<1>(key) && std::get<2>(other) == std::get<2>(key) &&
            group.ranks == own.ranks && other != key) {
            peers.push_back(busGBs(other, group));
        }
    }
    return peers.empty() ? std::nullopt
                         : std::optional(Expected{model::median(std::move(peers)), &text::other_communicators,
                                                  busGBs(key, own)});
}

/// Compares with the probe's all-reduces of that size with the same number of ranks.
std::optional<Expected> ofProbe(const metrics::Probed& probed, const Key& key, const Transfers& group)
{
    const auto gbs =
        std::get<1>(key) == model::CollectiveKind::AllReduce && probed.allReduceRanks == group.ranks
            ? probed.busGBs(std::get<2>(key))
            : std::nullopt;
    return gbs ? std::optional(Expected{*gbs, &text::probed_size, busGBs(key, group)}) : std::nullopt;
}

/// What collectives are compared with; collected once per run.
struct References {
    metrics::Probed probed;
    std::map<std::string, double> hostGBs;
    const words::Template* hostsFrom = &text::port_rate;
};

/// Returns the GB/s that each host's RDMA ports with traffic can carry together. A probe over RDMA in the run
/// replaces the nominal rate of a port. If no RDMA port had traffic, it is the rate of the fastest interface
/// with traffic; a bond counts as the sum of its cards.
References referencesOf(const Context& context)
{
    constexpr double kBits = 8.0;
    References found{metrics::probedOf(context.run), {}};
    const bool rdma = isOverRdma(context);
    const auto probed = rdma ? found.probed.usualRdmaGBs() : std::nullopt;
    if (probed) {
        found.hostsFrom = &text::probed_rdma;
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

/// Compares with the rate of the slowest host: a ring can run no faster and should not run much slower.
/// Returns null if the rate of a host is not known, or if the message is so small that latency counts.
std::optional<Expected> ofPorts(const Context& context, const References& references, const Key& key,
                                const Transfers& group)
{
    constexpr double kNsAMs = 1e6;
    const std::map<std::string, double>& hostGBs = references.hostGBs;
    if (hostGBs.size() < 2 || hostGBs.size() != context.run.hosts.size() ||
        group.ranks != context.run.worldSize) {
        return std::nullopt;
    }
    const double gbs =
        std::ranges::min_element(hostGBs, {}, [](const auto& each) { return each.second; })->second;
    const auto& [communicator, kind, bytes] = key;
    const double ns =
        metrics::algorithmBytes(kind, bytes, group.ranks) * metrics::busFactor(kind, group.ranks) / gbs;
    return ns >= context.option("rate_ms") * kNsAMs
               ? std::optional(Expected{gbs, references.hostsFrom, busGBs(key, group)})
               : std::nullopt;
}

/// Returns the user's value, else what a probe measured, else the highest of the rate of the ports, the run's
/// own best, and other communicators. Returns null if there is nothing to compare with.
std::optional<Expected> expectedOf(const Context& context, const References& references, const Groups& groups,
                                   const Key& key)
{
    const Transfers& group = groups.at(key);
    if (context.option("expected_gb_s") > 0) {
        return Expected{context.option("expected_gb_s"), &text::given, busGBs(key, group)};
    }
    if (const auto probed = ofProbe(references.probed, key, group)) {
        return probed;
    }
    std::optional<Expected> best;
    for (const auto& each :
         {bestTenth(groups, key), peersOf(groups, key), ofPorts(context, references, key, group)}) {
        best = each && (!best || each->gbs > best->gbs) ? each : best;
    }
    return best;
}

/// Returns the exposed transfer per step, mean over the ranks that take part. If these are only some, the
/// others lose as much, because they wait for them in the next collective of all.
std::int64_t exposedTransfer(const Context& context, const Key& key)
{
    std::int64_t sum = 0;
    double steps = 0;
    for (const metrics::RankMetrics& rank : context.figures.ranks) {
        bool takesPart = false;
        for (const metrics::OperationExposure& each : rank.exposures) {
            const model::Operation& operation = context.run.operations[each.operation];
            if (operation.bytes && Key(operation.communicator, operation.kind, *operation.bytes) == key) {
                sum = model::addCapped(sum, each.exposedTransferNs());
                takesPart = true;
            }
        }
        steps += takesPart ? rank.periods : 0;
    }
    return steps > 0 ? static_cast<std::int64_t>(static_cast<double>(sum) / steps) : 0;
}

/// Returns the ranks that take part in a collective, or none if these are all.
std::vector<std::int64_t> membersOf(const Context& context, const model::Operation& operation)
{
    std::vector<std::int64_t> ranks;
    if (operation.size < context.run.worldSize) {
        for (const model::Participant& part : operation.participants) {
            ranks.push_back(context.run.ranks[part.rank].rank);
        }
    }
    return ranks;
}

Finding describe(const Context& context, const Key& key, const Transfers& group, const Expected& expected)
{
    const double gbs = expected.seenGBs;
    Finding finding;
    finding.costNsPerStep = std::llround(static_cast<double>(exposedTransfer(context, key)) *
                                         (1.0 - gbs / std::max(gbs, expected.gbs)));
    finding.severity = severityByCost(context, *finding.costNsPerStep);
    finding.limit = Limit::Link;
    finding.title = say(text::title, {{"function", model::collectiveName(std::get<1>(key))},
                                      {"bytes", static_cast<double>(std::get<2>(key))},
                                      {"speed", gbs},
                                      {"seen", *expected.seen},
                                      {"part", gbs / expected.gbs},
                                      {"expected", *expected.from}});
    finding.ranks = membersOf(context, context.run.operations[group.slowest->operation]);
    finding.settings = {"NCCL_SOCKET_IFNAME", "NCCL_IB_HCA", "NCCL_MIN_CTAS"};
    finding.figures = {
        {"part_of_expected", Unit::Share, gbs / expected.gbs, context.option("part")},
        {"bus_gb_s", Unit::GigabytesPerSecond, gbs, {}},
        {"expected_gb_s", Unit::GigabytesPerSecond, expected.gbs, {}},
        {"operations", Unit::Count, static_cast<double>(group.ns.size()), context.option("min_count")}};
    finding.evidence = {transferEvidence(context, *group.slowest, text::slowest)};
    finding.advice = text::remedy;
    return finding;
}

Outcome run(const Context& context)
{
    if (!context.figures.arrivalsMeasured()) {
        return kNeedsArrivals;
    }
    const Groups groups = transfersOf(context);
    const References references = referencesOf(context);
    std::vector<Finding> findings;
    bool large = false;
    bool held = false;
    for (const auto& [key, group] : groups) {
        if (static_cast<double>(std::get<2>(key)) < context.option("min_bytes")) {
            continue;
        }
        large = true;
        const auto expected = expectedOf(context, references, groups, key);
        held = held || expected;
        if (expected && expected->seenGBs < context.option("part") * expected->gbs) {
            findings.push_back(describe(context, key, group, *expected));
        }
    }
    if (!large) {
        return NotApplicable{say(
            text::too_few, {{"count", context.option("min_count")}, {"bytes", context.option("min_bytes")}})};
    }
    if (!held) {
        return NotApplicable{text::nothing_to_compare};
    }
    return findings;
}

} // namespace

RINGSIDE_RULE(collective_bandwidth_low, .title = text::heading, .needs = {{"device"}, ", on all ranks"},
              .options = kOptions, .run = run, .needsDevice = true, .help = text::help,
              .partOf = {"exposed_communication"});

} // namespace ringside::rules::rule_collective_bandwidth_low
