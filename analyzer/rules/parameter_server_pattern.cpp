// SPDX-License-Identifier: Apache-2.0
// Finds steps in which one rank broadcasts the parameters and collects the gradients, as DataParallel does.
// That rank's link carries all the traffic, which a ring would share.
#include "words/parameter_server_pattern.h"

#include "rules/shared/gradients.h"

namespace ringside::rules::rule_parameter_server_pattern {
namespace {

namespace text = words::parameter_server_pattern;

constexpr Option kOptions[] = {
    {"part", 0.50,
     "warn if more than this share of a step's collective bytes is broadcast from and reduced to one rank"},
};

struct Traffic {
    double all = 0;
    double out = 0;
    double back = 0;
    double exposedNs = 0;
    const metrics::OperationExposure* largest = nullptr;
};

std::optional<std::int64_t> rootOf(const Context& context, const model::Operation& operation)
{
    const model::Participant& part = operation.participants.front();
    const trace::ProcessTrace& process = context.run.processOf(context.run.ranks[part.rank]);
    return process.collectiveCalls[part.call].peer;
}

/// Returns the exposed time that a ring all-reduce would save in ns. A broadcast and a reduction each send
/// all bytes over each link once, together twice. An all-reduce over n ranks sends them 2(n-1)/n times (the
/// bus factor of nccl-tests).
double savingOf(double exposedNs, std::int64_t ranks)
{
    constexpr double kBothWays = 2;
    return exposedNs * (1 - metrics::busFactor(model::CollectiveKind::AllReduce, ranks) / kBothWays);
}

/// Returns the traffic of a rank's analyzed steps, keyed by root.
std::map<std::int64_t, Traffic> trafficOf(const Context& context, const metrics::RankMetrics& rank)
{
    std::map<std::int64_t, Traffic> roots;
    double all = 0;
    for (const metrics::OperationExposure& each : rank.exposures) {
        const model::Operation& operation = context.run.operations[each.operation];
        if (!operation.bytes) {
            continue;
        }
        const double bytes = metrics::algorithmBytes(operation.kind, *operation.bytes, operation.size);
        all += bytes;
        const bool out = operation.kind == model::CollectiveKind::Broadcast;
        const bool back = operation.kind == model::CollectiveKind::Reduce;
        const std::optional<std::int64_t> root = out || back ? rootOf(context, operation) : std::nullopt;
        if (!root) {
            continue;
        }
        Traffic& traffic = roots[*root];
        (out ? traffic.out : traffic.back) += bytes;
        traffic.exposedNs += static_cast<double>(each.exposedTransferNs());
        if (traffic.largest == nullptr ||
            operation.bytes > context.run.operations[traffic.largest->operation].bytes) {
            traffic.largest = &each;
        }
    }
    for (auto& [root, traffic] : roots) {
        traffic.all = all;
    }
    return roots;
}

Outcome run(const Context& context)
{
    const metrics::RankMetrics& rank = context.figures.ranks.front();
    if (rank.exposures.empty()) {
        return NotApplicable{text::no_collective};
    }
    for (const auto& [root, traffic] : trafficOf(context, rank)) {
        const double part = traffic.all > 0 ? (traffic.out + traffic.back) / traffic.all : 0.0;
        if (traffic.out <= 0 || traffic.back <= 0 || part <= context.option("part")) {
            continue;
        }
        Finding finding;
        finding.costNsPerStep =
            ofAStep(context, rank,
                    std::llround(savingOf(traffic.exposedNs,
                                          context.run.operations[traffic.largest->operation].size)));
        finding.severity = severityByCost(context, *finding.costNsPerStep);
        finding.limit = Limit::Communication;
        finding.partOf = {"exposed_communication"};
        finding.title = say(text::title, {{"rank", root}});
        finding.settings = {"DistributedDataParallel"};
        finding.figures = {{"rooted_part", Unit::Share, part, context.option("part")}};
        finding.evidence = {evidence(context.rankOf(rank), traffic.largest->device, text::largest)};
        finding.advice = text::remedy;
        return std::vector<Finding>{finding};
    }
    return std::vector<Finding>{};
}

} // namespace

RINGSIDE_RULE(parameter_server_pattern, .title = text::heading, .needs = {{"host", "device"}},
              .options = kOptions, .run = run, .needsDevice = true, .help = text::help, .ofTraining = true);

} // namespace ringside::rules::rule_parameter_server_pattern
