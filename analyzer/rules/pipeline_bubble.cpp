// SPDX-License-Identifier: Apache-2.0
// Finds pipelines whose ranks wait for other stages longer than filling and draining the pipeline takes. It
// is a symptom of an uneven stage, a late rank or a slow link; the rest is due to the schedule.
#include "words/pipeline_bubble.h"

#include "metrics/pipeline.h"
#include "rules/shared/origins.h"
#include "words/step.h"

namespace ringside::rules::rule_pipeline_bubble {
namespace {

namespace text = words::pipeline_bubble;

constexpr Option kOptions[] = {
    {"times_ideal", 1.2, "warn when the bubble is this many times that of the ideal schedule"},
    {"share", 0.05, "and more than this share of the step"},
};

/// Returns "4 stages and 8 micro-batches", with the schedule if it is not plain 1F1B.
words::Text scheduleText(const metrics::PipelineFigures& pipeline)
{
    words::Text schedule =
        say(text::schedule, {{"stages", pipeline.stages.size()}, {"batches", pipeline.microBatches()}});
    if (pipeline.chunks > 1) {
        schedule += say(text::interleaved, {{"chunks", pipeline.chunks}});
    } else if (pipeline.zeroBubble) {
        schedule += text::zero_bubble;
    }
    return schedule;
}

Outcome run(const Context& context)
{
    const metrics::PipelineFigures pipeline = metrics::pipelineOf(context.run, context.figures);
    if (pipeline.stages.empty() || pipeline.passes == 0) {
        return NotApplicable{text::not_measured};
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
    finding.title = say(
        text::title, {{"bubble", pipeline.bubble}, {"schedule", scheduleText(pipeline)}, {"ideal", ideal}});
    finding.figures = {{"bubble_share", Unit::Share, pipeline.bubble, context.option("share")},
                       {"ideal_share", Unit::Share, ideal, {}},
                       {"times_ideal", Unit::Ratio, pipeline.bubble / ideal, context.option("times_ideal")},
                       {"passes", Unit::Count, static_cast<double>(pipeline.passes), {}, PerPeriod::Yes},
                       {"chunks", Unit::Count, static_cast<double>(pipeline.chunks), {}}};
    finding.evidence =
        worstStep(context, &metrics::Breakdown::exposedWaitNs, words::step::waiting_for_others);
    finding.advice = pipeline.chunks > 1 || pipeline.zeroBubble ? text::remedy : text::remedy_plain;
    return std::vector<Finding>{finding};
}

} // namespace

RINGSIDE_RULE(pipeline_bubble, .title = text::heading, .needs = {{"device"}, ", on all stages"},
              .options = kOptions, .run = run, .needsDevice = true, .help = text::help,
              .partOf = {"pipeline_stage_imbalance", "late_rank", "slow_link", "data_skew",
                         "expert_imbalance", "exposed_communication"});

} // namespace ringside::rules::rule_pipeline_bubble
