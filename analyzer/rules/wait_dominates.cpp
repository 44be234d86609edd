// SPDX-License-Identifier: Apache-2.0
// Finds communication that is mostly waiting for other ranks to arrive, so that a faster network would not
// help.
#include "words/wait_dominates.h"

#include "rules/shared/support.h"
#include "words/step.h"

namespace ringside::rules::rule_wait_dominates {
namespace {

namespace text = words::wait_dominates;

constexpr Option kOptions[] = {
    {"share", 0.50, "warn above this share of waiting in communication time"},
    {"min_step_share", 0.02, "and waiting delays the step by more than this share"},
};

Outcome run(const Context& context)
{
    if (!context.figures.arrivalsMeasured()) {
        return kNeedsArrivals;
    }
    const metrics::Breakdown total = context.figures.total();
    if (total.communicationNs == 0) {
        return std::vector<Finding>{};
    }
    const double share = static_cast<double>(total.waitNs) / static_cast<double>(total.communicationNs);
    if (share <= context.option("share") ||
        total.share(total.waitDelayNs) <= context.option("min_step_share")) {
        return std::vector<Finding>{};
    }
    if (context.figures.arrivalsBelowError) {
        return kBelowClockError;
    }
    Finding finding;
    finding.costNsPerStep = context.figures.perStep(&metrics::Breakdown::waitDelayNs);
    finding.severity = severityByCost(context, *finding.costNsPerStep);
    finding.limit = Limit::LateRank;
    finding.cause = false;
    finding.title = say(text::title, {{"share", share}});
    finding.figures = {{"wait_share", Unit::Share, share, context.option("share")},
                       {"wait_delay_step_share", Unit::Share, total.share(total.waitDelayNs),
                        context.option("min_step_share")}};
    finding.evidence = worstStep(context, &metrics::Breakdown::waitNs, words::step::waiting);
    finding.advice = text::remedy;
    return std::vector<Finding>{finding};
}

} // namespace

RINGSIDE_RULE(wait_dominates, .title = text::heading, .needs = {{"device"}}, .options = kOptions, .run = run,
              .needsDevice = true, .help = text::help, .partOf = {"slow_link", "exposed_communication"});

} // namespace ringside::rules::rule_wait_dominates
