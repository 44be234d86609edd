// SPDX-License-Identifier: Apache-2.0
// Finds communication that is mostly waiting for other ranks to arrive, so that a faster network would not
// help.
#include "rules/shared/support.h"
#include "words/step.h"

namespace ringside::rules::rule_wait_dominates {
namespace {

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
    if (arrivalsBelowClockError(context)) {
        return kBelowClockError;
    }
    Finding finding;
    finding.costNsPerStep = context.figures.perStep(&metrics::Breakdown::waitDelayNs);
    finding.severity = severityByCost(context, *finding.costNsPerStep);
    finding.limit = Limit::LateRank;
    finding.cause = false;
    finding.title =
        fmt::format("{} of the time in communication is waiting for ranks to arrive", percent(share));
    finding.figures = {{"wait_share", Unit::Share, share, context.option("share")},
                       {"wait_delay_step_share", Unit::Share, total.share(total.waitDelayNs),
                        context.option("min_step_share")}};
    finding.evidence = worstStep(context, &metrics::Breakdown::waitNs, words::step::waiting);
    finding.advice = "Tuning NCCL or the network will not help: make the ranks arrive together. See "
                     "late_rank for the rank that arrives last, and why.";
    return std::vector<Finding>{finding};
}

} // namespace

RINGSIDE_RULE(wait_dominates, .title = "Communication is mostly waiting", .needs = "device",
              .options = kOptions, .run = run, .needsDevice = true,
              .help = "wait / (wait + transfer); waiting is from a rank's own arrival to the last one's.",
              .partOf = {"slow_link", "exposed_communication"});

} // namespace ringside::rules::rule_wait_dominates
