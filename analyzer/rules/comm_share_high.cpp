// SPDX-License-Identifier: Apache-2.0
// Finds communication that takes a large share of the step. It is a symptom: the advice names the biggest
// measured cause.
#include "words/comm_share_high.h"

#include "rules/shared/communication_cause.h"
#include "words/step.h"

namespace ringside::rules::rule_comm_share_high {
namespace {

namespace text = words::comm_share_high;

constexpr Option kOptions[] = {
    {"share", 0.30, "warn above this share of the step spent in communication (field guides: 30 %)"},
    {"problem_share", 0.50, "a problem above this share"},
};

Outcome run(const Context& context)
{
    if (!context.figures.communicationShare) {
        return kNeedsDevice;
    }
    const double share = *context.figures.communicationShare;
    if (share <= context.option("share")) {
        return std::vector<Finding>{};
    }
    Finding finding;
    finding.limit = Limit::Communication;
    finding.cause = false;
    finding.title = say(text::title, {{"share", share}});
    finding.costNsPerStep = exposedBeyondFill(context);
    finding.severity = std::min(
        share > context.option("problem_share") ? Severity::Problem : Severity::Warning,
        severityByCost(context, *finding.costNsPerStep)); // communication that compute hides costs nothing
    finding.figures = {{"communication_share", Unit::Share, share, context.option("share")}};
    finding.evidence = worstStep(context, &metrics::Breakdown::communicationNs, words::step::communication);
    const CommunicationCause cause = biggestCommunicationCause(context);
    finding.advice = say(text::remedy, {{"part", describe(context, cause)}, {"remedy", cause.remedy}});
    return std::vector<Finding>{finding};
}

} // namespace

RINGSIDE_RULE(comm_share_high, .title = text::heading, .needs = {{"device"}}, .options = kOptions, .run = run,
              .help = text::help, .partOf = {"exposed_communication"});

} // namespace ringside::rules::rule_comm_share_high
