// SPDX-License-Identifier: Apache-2.0
// Finds DistributedDataParallel with find_unused_parameters, which reduces a map of used parameters in every
// step: one integer per parameter. The rule recognizes that message. Walking the graph costs more, which is
// not measured.
#include "words/unused_parameter_search.h"

#include "rules/shared/gradients.h"
#include "whatif/changes.h"

namespace ringside::rules::rule_unused_parameter_search {
namespace {

namespace text = words::unused_parameter_search;

constexpr Option kOptions[] = {
    {"min_elements", model::kLeastMapElements, "fewest integers in the message: fewer are a flag or a count"},
    {"step_part", 0.90, "least share of steps with one such message, or one for each backward pass"},
};

/// Returns how close the number of maps is to one per backward pass; 1 means that it is so in every step. A
/// step has one or more passes. All steps are counted together, because a step's last message may start on
/// the device when the next step has begun there.
double regularity(std::size_t maps, std::size_t steps, std::size_t gradientMessages)
{
    const double ofStep = static_cast<double>(maps) / static_cast<double>(steps);
    const auto passes = static_cast<std::size_t>(std::llround(ofStep));
    const bool shared = passes > 0 && gradientMessages % passes == 0; // every pass sends the same messages
    return shared ? 1 - std::abs(ofStep - static_cast<double>(passes)) : 0.0;
}

Outcome run(const Context& context)
{
    if (messagesPerStep(context) == 0) {
        return kNeedsGradients;
    }
    const metrics::RankMetrics& rank = context.figures.ranks.front(); // all ranks make the same calls
    std::size_t maps = 0;
    std::int64_t exposed = 0;
    const metrics::OperationExposure* shown = nullptr;
    for (const metrics::OperationExposure& each : rank.exposures) {
        if (model::isUsedMap(context.run.operations[each.operation], context.run.worldSize,
                             context.option("min_elements"))) {
            ++maps;
            exposed = model::addCapped(exposed, each.exposedTransferNs());
            shown = &each;
        }
    }
    const double part = regularity(maps, rank.steps.size(), messagesPerStep(context));
    if (shown == nullptr || part < context.option("step_part")) {
        return std::vector<Finding>{};
    }
    const auto elements = static_cast<double>(*context.run.operations[shown->operation].count);
    Finding finding;
    finding.costNsPerStep = ofAStep(context, rank, exposed);
    finding.severity = severityByCost(context, *finding.costNsPerStep);
    finding.limit = Limit::Settings;
    finding.title = say(text::title, {{"integers", elements}});
    finding.settings = {"find_unused_parameters", "static_graph"};
    finding.figures = {{"elements", Unit::Count, elements, context.option("min_elements")},
                       {"step_part", Unit::Share, part, context.option("step_part")}};
    finding.evidence = {evidence(context.rankOf(rank), shown->device, text::reduction)};
    finding.advice = text::remedy;
    return std::vector<Finding>{finding};
}

/// Replays the run without the search.
std::vector<whatif::Changes> cures(const Context& /*context*/, const Finding& /*finding*/)
{
    return {{.noUsedMaps = true}};
}

} // namespace

RINGSIDE_RULE(unused_parameter_search, .title = text::heading, .needs = {{"host", "device"}},
              .options = kOptions, .run = run, .needsDevice = true, .help = text::help, .ofSteps = true,
              .ofTraining = true, .partOf = {"exposed_communication"}, .cures = cures);

} // namespace ringside::rules::rule_unused_parameter_search
