// SPDX-License-Identifier: Apache-2.0
// Finds pipelines whose ranks wait for other stages longer than filling and draining the pipeline takes. It
// is a symptom of an uneven stage, a late rank or a slow link; the rest is due to the schedule.
#include "metrics/pipeline.h"
#include "rules/shared/origins.h"
#include "words/step.h"

namespace ringside::rules::rule_pipeline_bubble {
namespace {

constexpr Option kOptions[] = {
    {"times_ideal", 1.2, "warn when the bubble is this many times that of the ideal schedule"},
    {"share", 0.05, "and more than this share of the step"},
};

/// Returns "4 stages and 8 micro-batches", with the schedule if it is not plain 1F1B.
std::string scheduleText(const metrics::PipelineFigures& pipeline)
{
    std::string text =
        fmt::format("{} stages and {} micro-batches", pipeline.stages.size(), pipeline.microBatches());
    if (pipeline.chunks > 1) {
        text += fmt::format(", interleaved in {} chunks per stage,", pipeline.chunks);
    } else if (pipeline.zeroBubble) {
        text += ", with weight gradients computed apart (zero bubble),";
    }
    return text;
}

Outcome run(const Context& context)
{
    const metrics::PipelineFigures pipeline = metrics::pipelineOf(context.run, context.figures);
    if (pipeline.stages.empty() || pipeline.passes == 0) {
        return NotApplicable{
            "needs a pipeline whose sends and receives were matched, with device work of every stage"};
    }
    const double ideal = pipeline.idealBubble();
    if (pipeline.bubble <= context.option("share") ||
        pipeline.bubble <= context.option("times_ideal") * ideal) {
        return std::vector<Finding>{};
    }
    Finding finding;
    finding.costNsPerStep =
        std::llround((pipeline.bubble - ideal) * static_cast<double>(context.figures.stepNs()));
    finding.severity = severityByCost(context, *finding.costNsPerStep);
    finding.limit = Limit::Communication;
    finding.cause = false;
    finding.title = fmt::format("Ranks wait for other stages in {} of the step; a pipeline of {} needs {}",
                                percent(pipeline.bubble), scheduleText(pipeline), percent(ideal));
    finding.figures = {{"bubble_share", Unit::Share, pipeline.bubble, context.option("share")},
                       {"ideal_share", Unit::Share, ideal, {}},
                       {"times_ideal", Unit::Ratio, pipeline.bubble / ideal, context.option("times_ideal")},
                       {"passes_per_step", Unit::Count, static_cast<double>(pipeline.passes), {}},
                       {"chunks", Unit::Count, static_cast<double>(pipeline.chunks), {}}};
    finding.evidence =
        worstStep(context, &metrics::Breakdown::exposedWaitNs, words::step::waiting_for_others);
    finding.advice = "Find out why stages wait: one that computes longer, a late rank, a slow link, "
                     "micro-batches of different length. Then use more micro-batches per step";
    finding.advice += pipeline.chunks > 1 || pipeline.zeroBubble
                          ? ", which make the bubble itself smaller."
                          : " or an interleaved schedule, which make the bubble itself smaller.";
    return std::vector<Finding>{finding};
}

} // namespace

RINGSIDE_RULE(pipeline_bubble, .title = "The pipeline waits more than filling and draining takes",
              .needs = "device, on all stages", .options = kOptions, .run = run, .needsDevice = true,
              .help =
                  "Exposed waiting inside of communication, and idle time that not every rank has, as a "
                  "share of the step, mean of the ranks. Ideal for p stages and m micro-batches (times "
                  "the chunks of an interleaved schedule): (p-1)/(m+p-1). Where weight gradients are "
                  "computed apart (zero bubble): (p-1)/(3m+p-1). Chunks are seen by the messages from the "
                  "last stage to the first. Neither is seen with two stages.",
              .partOf = {"pipeline_stage_imbalance", "late_rank", "slow_link", "data_skew",
                         "expert_imbalance", "exposed_communication"});

} // namespace ringside::rules::rule_pipeline_bubble
