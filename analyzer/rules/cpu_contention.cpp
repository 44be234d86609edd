// SPDX-License-Identifier: Apache-2.0
// Finds threads that launch GPU work but wait for a CPU, or that the container's CPU quota or the hypervisor
// stops.
#include "words/cpu_contention.h"

#include "metrics/contention.h"
#include "rules/shared/device_samples.h"

namespace ringside::rules::rule_cpu_contention {
namespace {

namespace text = words::cpu_contention;

constexpr Option kOptions[] = {
    {"delay_share", 0.05, "warn when recording threads wait for a CPU for more than this share of the time"},
    {"throttled_share", 0.01, "or the control group's CPU quota stops the process for more than this share"},
    {"stolen_share", 0.05, "or the hypervisor gives more than this share of the host's CPU time to others"},
};

/// Raises `largest` to the rank's share of time, and returns this share. Returns 0 if the rank was not
/// sampled.
double raiseLargestShare(std::optional<double>& largest, const metrics::RankMetrics& rank,
                         std::optional<std::int64_t> ns)
{
    if (!ns) {
        return 0;
    }
    const double share = rank.total.share(*ns);
    largest = std::max(largest.value_or(share), share);
    return share;
}

/// The largest shares of all ranks; null if no rank was sampled.
struct Shares {
    std::optional<double> delay;
    std::optional<double> throttled;
    std::optional<double> stolen;
    std::optional<std::int64_t> preemptions; ///< of the ranks that wait, per step
};

words::Text titleOf(const Context& context, const Shares& shares)
{
    return shares.throttled > context.option("throttled_share")
               ? say(text::quota, {{"share", *shares.throttled}})
           : shares.delay > context.option("delay_share") ? say(text::waits, {{"share", *shares.delay}})
                                                          : say(text::stolen, {{"share", *shares.stolen}});
}

/// Sets title, severity, figures and advice once ranks, cost and evidence are known.
void describe(const Context& context, const Shares& shares, Finding& finding)
{
    finding.severity = severityByCost(context, *finding.costNsPerStep);
    finding.limit = Limit::Host;
    finding.title = titleOf(context, shares);
    finding.settings = {"OMP_NUM_THREADS", "num_workers"};
    const auto figure = [&](const char* name, const char* option, std::optional<double> share) {
        if (share) {
            finding.figures.push_back({name, Unit::Share, *share, context.option(option)});
        }
    };
    figure("run_delay_share", "delay_share", shares.delay);
    figure("throttled_share", "throttled_share", shares.throttled);
    figure("stolen_share", "stolen_share", shares.stolen);
    if (shares.preemptions) {
        finding.figures.push_back(
            {"preemptions", Unit::Count, static_cast<double>(*shares.preemptions), {}, PerPeriod::Yes});
    }
    finding.advice = text::remedy;
}

/// What the rank's processor was withheld for, the most of it first.
words::Text whatHappened(const metrics::Contention& contention)
{
    const std::int64_t most = contention.waitedNs();
    const words::Template& what = most == contention.delayNs       ? text::waited
                                  : most == contention.throttledNs ? text::stopped
                                                                   : text::given_away;
    return say(what, {{"time", most}});
}

Outcome run(const Context& context)
{
    Finding finding;
    Shares shares;
    bool measured = false;
    for (const metrics::RankMetrics& rank : context.figures.ranks) {
        const metrics::Contention contention = metrics::contentionOf(context.run, rank);
        measured = measured || contention.isMeasured();
        const bool waits =
            raiseLargestShare(shares.delay, rank, contention.delayNs) > context.option("delay_share");
        const bool stops = raiseLargestShare(shares.throttled, rank, contention.throttledNs) >
                           context.option("throttled_share");
        const bool stolen =
            raiseLargestShare(shares.stolen, rank, contention.stolenNs) > context.option("stolen_share");
        if (!waits && !stops && !stolen) {
            continue;
        }
        if (contention.preemptions) {
            shares.preemptions =
                std::max(shares.preemptions.value_or(0), ofAStep(context, rank, *contention.preemptions));
        }
        // Without a processor, no launch, no data and no message goes on. Kernels do.
        const std::int64_t most = rank.total.stepNs - rank.total.computeNs;
        finding.costNsPerStep = std::max(finding.costNsPerStep.value_or(0),
                                         ofAStep(context, rank, std::min(contention.waitedNs(), most)));
        finding.ranks.push_back(context.rankOf(rank).rank);
        finding.evidence.push_back(
            evidence(context.rankOf(rank), analyzedSpan(rank), whatHappened(contention)));
    }
    if (!measured) {
        return kNeedsHostSamples;
    }
    if (finding.ranks.empty()) {
        return std::vector<Finding>{};
    }
    describe(context, shares, finding);
    return std::vector<Finding>{finding};
}

} // namespace

RINGSIDE_RULE(cpu_contention, .title = text::heading, .needs = {{"device", "sampled"}, " (process, cgroup)"},
              .options = kOptions, .run = run, .needsDevice = true, .help = text::help,
              .partOf = {"late_rank", "host_bound", "data_loading_stall", "gpu_utilization_low",
                         "exposed_communication"},
              .contendsHosts = true);

} // namespace ringside::rules::rule_cpu_contention
