// SPDX-License-Identifier: Apache-2.0
// Finds a pipeline stage that computes longer than the others. Every micro-batch runs at its pace, and the
// other stages wait for its messages.
#include "words/pipeline_stage_imbalance.h"

#include "metrics/pipeline.h"
#include "rules/shared/origins.h"

namespace ringside::rules::rule_pipeline_stage_imbalance {
namespace {

namespace text = words::pipeline_stage_imbalance;

constexpr Option kOptions[] = {
    {"cost_share", 0.05, "warn when equal stages would save more than this share of the step"},
    {"least_steps", 0.5, "least share of the analyzed steps in which the stage computes longest"},
};

std::int64_t meanCompute(const metrics::PipelineFigures& pipeline)
{
    double sum = 0;
    for (const metrics::PipelineStage& stage : pipeline.stages) {
        sum += static_cast<double>(stage.computeNs) / static_cast<double>(pipeline.stages.size());
    }
    return std::llround(sum);
}

/// Returns what equal stages would save in ns per step. With m micro-batches a step takes m times the longest
/// stage and once each other stage; with equal stages each takes the mean.
std::int64_t savedByEqualStages(const metrics::PipelineFigures& pipeline, std::int64_t longestNs)
{
    const auto passes = static_cast<double>(std::max<std::int64_t>(1, pipeline.passes));
    const auto excess = static_cast<double>(longestNs - meanCompute(pipeline));
    return std::llround(std::max(0.0, excess) * (pipeline.passes > 1 ? (passes - 1) / passes : 1));
}

Finding describe(const Context& context, const metrics::PipelineFigures& pipeline,
                 const metrics::PipelineStage& longest, std::int64_t costNs)
{
    const double share = shareOfStep(context, costNs);
    const double excess = static_cast<double>(longest.computeNs) /
                              static_cast<double>(std::max<std::int64_t>(1, meanCompute(pipeline))) -
                          1;
    Finding finding;
    finding.costNsPerStep = costNs;
    finding.severity = severityByCost(context, costNs);
    finding.limit = Limit::Compute;
    for (const std::size_t rank : longest.ranks) {
        finding.ranks.push_back(context.run.ranks[rank].rank);
    }
    finding.title = say(text::title, {{"stage", longest.stage},
                                      {"stages", context.run.layout.sizes.pipeline},
                                      {"ranks", finding.ranks},
                                      {"compute", longest.computeNs},
                                      {"excess", excess},
                                      {"longest", longest.longestOfSteps},
                                      {"steps", pipeline.steps}});
    finding.figures = {
        {"cost_share", Unit::Share, share, context.option("cost_share")},
        {"compute_excess", Unit::Share, excess, {}},
        {"longest_of_steps", Unit::Share,
         static_cast<double>(longest.longestOfSteps) /
             static_cast<double>(std::max<std::size_t>(1, pipeline.steps)),
         context.option("least_steps")},
        {"passes", Unit::Count, static_cast<double>(pipeline.passes), {}, PerPeriod::Yes},
    };
    for (const metrics::RankMetrics& rank : context.figures.ranks) {
        if (rank.rank == longest.ranks.front()) {
            finding.evidence = {evidence(context.rankOf(rank), rank.windows.front(),
                                         say(text::median_step, {{"compute", rank.median.computeNs}}))};
        }
    }
    finding.advice = longest.ranks.size() == 1 ? text::remedy + words::Text(text::one_rank) : text::remedy;
    return finding;
}

Outcome run(const Context& context)
{
    const metrics::PipelineFigures pipeline = metrics::pipelineOf(context.run, context.figures);
    if (pipeline.stages.empty()) {
        return NotApplicable{text::no_pipeline};
    }
    const auto longest = std::ranges::max_element(pipeline.stages, {}, &metrics::PipelineStage::computeNs);
    const std::int64_t cost = savedByEqualStages(pipeline, longest->computeNs);
    const bool often = static_cast<double>(longest->longestOfSteps) >=
                       context.option("least_steps") * static_cast<double>(pipeline.steps);
    if (shareOfStep(context, cost) <= context.option("cost_share") || !often) {
        return std::vector<Finding>{};
    }
    return std::vector<Finding>{describe(context, pipeline, *longest, cost)};
}

} // namespace

RINGSIDE_RULE(pipeline_stage_imbalance, .title = text::heading, .needs = {{"device"}, ", on all stages"},
              .options = kOptions, .run = run, .needsDevice = true, .help = text::help,
              .partOf = {"exposed_communication"});

} // namespace ringside::rules::rule_pipeline_stage_imbalance
