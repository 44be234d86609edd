// SPDX-License-Identifier: Apache-2.0
// DistributedDataParallel with find_unused_parameters reduces a map of used parameters in every step: one
// integer for each parameter. That message betrays it; walking the graph costs more, which is not measured.
#include "model/datatype.h"
#include "rules/gradients.h"

namespace ringside::rules {
namespace {

constexpr Option kOptions[] = {
    {"min_elements", 16, "integers in the message: fewer are a flag or a count"},
    {"step_part", 0.90, "in at least this part of the steps"},
};

bool isUsedMap(const Context& context, const model::Operation& operation)
{
    constexpr std::uint64_t kMostBytes = 1U << 20U; // of a quarter of a million parameter tensors
    return operation.kind == model::CollectiveKind::AllReduce && operation.size == context.run.worldSize &&
           model::isInteger(operation.datatype) && operation.bytes && *operation.bytes <= kMostBytes &&
           static_cast<double>(operation.count.value_or(0)) >= context.option("min_elements");
}

Outcome run(const Context& context)
{
    if (context.figures.ranks.empty()) {
        return kNeedsDevice;
    }
    if (messagesPerStep(context) == 0) {
        return kNeedsGradients;
    }
    const metrics::RankMetrics& rank = context.figures.ranks.front(); // all call the same
    std::vector<std::size_t> counts(rank.steps.size());
    std::int64_t exposed = 0;
    const metrics::OperationExposure* shown = nullptr;
    for (const metrics::OperationExposure& each : rank.exposures) {
        if (isUsedMap(context, context.run.operations[each.operation])) {
            ++counts[each.step];
            exposed = model::addCapped(exposed, each.exposedTransferNs());
            shown = &each;
        }
    }
    const auto once = static_cast<double>(std::count(counts.begin(), counts.end(), 1U));
    const double part = once / static_cast<double>(counts.size());
    if (shown == nullptr || part < context.option("step_part")) {
        return std::vector<Finding>{};
    }
    const auto elements = static_cast<double>(*context.run.operations[shown->operation].count);
    Finding finding;
    finding.costNsPerStep = ofAStep(rank, exposed);
    finding.severity = severityByCost(context, *finding.costNsPerStep);
    finding.limit = Limit::Settings;
    finding.partOf = {"exposed_communication"};
    finding.title =
        fmt::format("Every step reduces a map of {:.0f} integers, as find_unused_parameters does", elements);
    finding.settings = {"find_unused_parameters", "static_graph"};
    finding.figures = {{"elements", Unit::Count, elements, context.option("min_elements")},
                       {"step_part", Unit::Share, part, context.option("step_part")}};
    finding.evidence = {
        evidence(context.rankOf(rank), shown->device, "the reduction of the map of used parameters")};
    finding.advice = "If every parameter takes part in every step, set `find_unused_parameters=False`; if "
                     "the same ones are left out each time, `static_graph=True`. The cost counts the message "
                     "alone; walking the graph on the host comes on top (field: and 10-15 % more memory).";
    return std::vector<Finding>{finding};
}

} // namespace
} // namespace ringside::rules

RINGSIDE_RULE(unused_parameter_search, .title = "Unused parameters are searched for in every step",
              .needs = "host and device", .options = ringside::rules::kOptions, .run = ringside::rules::run,
              .help = "One all-reduce of integers in each step, over all ranks, beside the gradients. The "
                      "cost is its exposed transfer, without the search on the host.");
