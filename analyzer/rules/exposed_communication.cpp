// SPDX-License-Identifier: Apache-2.0
// Communication that no compute hides. A symptom: late ranks and small messages show here too.
#include "rules/support.h"

namespace ringside::rules {
namespace {

constexpr Option kOptions[] = {
    {"share", 0.10, "warn above this exposed share of the step"},
    {"problem_share", 0.40, "a problem above this share"},
};

std::string advice(const Context& context, std::int64_t wait, std::int64_t exposed)
{
    if (2 * wait > exposed) {
        return biggestCommunicationCause(context);
    }
    return "Let communication overlap with backward: check that gradients are reduced while backward runs "
           "(bucket order, "
           "`static_graph=True`, no synchronisation between buckets, a communication stream of its own), or "
           "give it more "
           "compute to hide behind (bigger micro-batch, accumulation with `no_sync()`).";
}

Outcome run(const Context& context)
{
    if (context.figures.ranks.empty()) {
        return kNeedsDevice;
    }
    const metrics::Breakdown total = context.figures.total();
    const double share = total.share(total.exposedCommunicationNs);
    if (share <= context.option("share")) {
        return std::vector<Finding>{};
    }
    const std::int64_t exposed = context.figures.perStep(&metrics::Breakdown::exposedCommunicationNs);
    const std::int64_t wait = context.figures.perStep(&metrics::Breakdown::exposedWaitNs);
    Finding finding;
    finding.severity = share > context.option("problem_share") ? Severity::Problem : Severity::Warning;
    finding.limit = Limit::Communication;
    finding.cause = false;
    finding.title = fmt::format("{} of the step is communication that nothing hides", percent(share));
    finding.settings = {"bucket_cap_mb", "static_graph"};
    finding.costNsPerStep = exposed;
    finding.figures = {{"exposed_share", share, context.option("share")}};
    if (total.communicationNs > 0) {
        finding.figures.push_back(
            {"overlap",
             static_cast<double>(total.overlapNs) / static_cast<double>(total.communicationNs),
             {}});
    }
    if (context.figures.arrivalsMeasured()) {
        finding.figures.push_back({"exposed_wait_ns_per_step", static_cast<double>(wait), {}});
    }
    finding.evidence =
        worstStep(context, &metrics::Breakdown::exposedCommunicationNs, "exposed communication");
    finding.advice = advice(context, wait, exposed);
    return std::vector<Finding>{finding};
}

} // namespace
} // namespace ringside::rules

RINGSIDE_RULE(
    exposed_communication, .title = "Communication is not hidden behind compute", .needs = "device",
    .options = ringside::rules::kOptions, .run = ringside::rules::run,
    .help = "|M minus C| over the step. What is hidden costs nothing; what is exposed adds to the step.");
