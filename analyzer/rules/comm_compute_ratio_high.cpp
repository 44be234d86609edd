// SPDX-License-Identifier: Apache-2.0
// Finds communication that is long compared with compute. It is a symptom: the advice names the biggest
// measured cause.
#include "words/comm_compute_ratio_high.h"

#include "rules/shared/communication_cause.h"
#include "words/step.h"

namespace ringside::rules::rule_comm_compute_ratio_high {
namespace {

namespace text = words::comm_compute_ratio_high;

constexpr Option kOptions[] = {
    {"ratio", 0.30, "warn above this ratio of communication to compute (field guides: below 0.3)"},
    {"problem_ratio", 1.0, "a problem above this ratio: longer than compute, it cannot be hidden"},
};

Outcome run(const Context& context)
{
    if (!context.figures.ratio) {
        return NotApplicable{text::no_compute};
    }
    const double ratio = *context.figures.ratio;
    if (ratio <= context.option("ratio")) {
        return std::vector<Finding>{};
    }
    Finding finding;
    finding.limit = Limit::Communication;
    finding.cause = false;
    finding.title = say(text::title, {{"ratio", ratio}});
    finding.costNsPerStep = exposedBeyondFill(context);
    finding.severity = std::min(
        ratio > context.option("problem_ratio") ? Severity::Problem : Severity::Warning,
        severityByCost(context, *finding.costNsPerStep)); // communication that compute hides costs nothing
    finding.figures = {{"comm_compute_ratio", Unit::Ratio, ratio, context.option("ratio")}};
    finding.evidence = worstStep(context, &metrics::Breakdown::communicationNs, words::step::communication);
    finding.advice = say(context.inference() ? text::remedy_serving : text::remedy,
                         {{"part", describe(context, biggestCommunicationCause(context))}});
    return std::vector<Finding>{finding};
}

} // namespace

RINGSIDE_RULE(comm_compute_ratio_high, .title = text::heading, .needs = {{"device"}}, .options = kOptions,
              .run = run, .needsDevice = true, .help = text::help,
              .partOf = {"exposed_communication", "comm_share_high"});

} // namespace ringside::rules::rule_comm_compute_ratio_high
