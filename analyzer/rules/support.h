// SPDX-License-Identifier: Apache-2.0
// What several rules share: shares as text, severity by cost, the place to look at, and which communication
// cause is the biggest.
#pragma once
#include "rules/rule.h"

#include <fmt/format.h>

namespace ringside::rules {

inline const NotApplicable kNeedsDevice{"needs the device tier: record with `--profile standard`, with at "
                                        "least one whole step inside its window"};
inline const NotApplicable kNeedsArrivals{"needs the device times of at least two ranks in the same "
                                          "collectives: record every rank with the device tier"};

[[nodiscard]] inline std::string percent(double share)
{
    return fmt::format("{:.1f} %", 100.0 * share);
}
[[nodiscard]] inline std::string milliseconds(std::int64_t ns)
{
    return fmt::format("{:.2f} ms", static_cast<double>(ns) / 1e6);
}
[[nodiscard]] inline std::string mebibytes(double bytes)
{
    return fmt::format("{:.2f} MiB", bytes / 1048576.0);
}

/// What a cost means for the whole: below 1 % of the step it is only information, from 10 % on a problem.
[[nodiscard]] inline Severity severityByCost(std::int64_t costNs, std::int64_t stepNs)
{
    constexpr double kWarning = 0.01;
    constexpr double kProblem = 0.10;
    const double share = stepNs > 0 ? static_cast<double>(costNs) / static_cast<double>(stepNs) : 0.0;
    return share >= kProblem ? Severity::Problem : share >= kWarning ? Severity::Warning : Severity::Info;
}

[[nodiscard]] inline Evidence evidence(const model::Rank& rank, const model::Interval& local,
                                       std::string what)
{
    return {rank.rank, rank.clock.toRun(local.start), rank.clock.toRun(local.end), std::move(what)};
}

/// The analyzed step in which a figure is largest, on the rank where it is.
[[nodiscard]] inline std::vector<Evidence>
worstStep(const Context& context, std::int64_t metrics::Breakdown::*figure, std::string_view what)
{
    const metrics::RankMetrics* worst = nullptr;
    std::size_t step = 0;
    for (const metrics::RankMetrics& rank : context.figures.ranks) {
        for (std::size_t i = 0; i < rank.steps.size(); ++i) {
            if (worst == nullptr || rank.steps[i].*figure > worst->steps[step].*figure) {
                worst = &rank;
                step = i;
            }
        }
    }
    if (worst == nullptr) {
        return {};
    }
    return {
        evidence(context.rankOf(*worst), worst->windows[step],
                 fmt::format("step with the most {}: {}", what, milliseconds(worst->steps[step].*figure)))};
}

/// Which of the causes that this slice can measure is the biggest part of exposed communication: what to look
/// at first.
[[nodiscard]] inline std::string biggestCommunicationCause(const Context& context)
{
    const std::int64_t exposed = context.figures.perStep(&metrics::Breakdown::exposedCommunicationNs);
    const std::int64_t wait = context.figures.perStep(&metrics::Breakdown::exposedWaitNs);
    const std::int64_t overlap = context.figures.perStep(&metrics::Breakdown::overlapNs);
    const std::int64_t communication = context.figures.perStep(&metrics::Breakdown::communicationNs);
    if (context.figures.arrivalsMeasured() && 2 * wait > exposed) {
        return fmt::format(
            "The biggest part is waiting for late ranks ({} of {} exposed a step): see late_rank and "
            "wait_dominates before tuning the network.",
            milliseconds(wait), milliseconds(exposed));
    }
    const auto& fit = context.figures.allReduceFit;
    const auto steps = static_cast<double>(std::max<std::size_t>(1, context.run.analyzedSteps.size()));
    const double messages = static_cast<double>(context.figures.arrived.size()) / steps;
    if (fit && 2.0 * messages * fit->latencyNs > static_cast<double>(communication)) {
        return fmt::format(
            "Most of it is the latency of {:.0f} messages a step ({:.0f} us each), not their size: see "
            "small_messages; fewer and larger ones (`bucket_cap_mb`) cost less.",
            messages, fit->latencyNs / 1e3);
    }
    if (10 * overlap < communication) {
        return "Communication hardly overlaps with compute: reduce gradients while backward still runs (DDP "
               "does so "
               "unless `no_sync`, one huge bucket, or a synchronisation in between prevents it).";
    }
    return "Most of it is transfer: try fewer and larger messages (`bucket_cap_mb`), half the bytes (fp16 or "
           "bf16 "
           "gradients), and check the link.";
}

} // namespace ringside::rules
