// SPDX-License-Identifier: Apache-2.0
// What several rules share: figures as text, severity by cost, the place to look at, and what is too small
// for the clocks.
#pragma once
#include "rules/rule.h"
#include "values/quantile.h"
#include "values/text.h"

#include <fmt/format.h>

namespace ringside::rules {

inline const NotApplicable kBelowClockError{
    "inconclusive: the differences in arrival are smaller than the error of the clock alignment", true};
inline const NotApplicable kNeedsDevice{"needs the device tier: record with `--profile standard`, with at "
                                        "least one whole step inside its window"};
inline const NotApplicable kNeedsArrivals{"needs the device times of at least two ranks in the same "
                                          "collectives: record every rank with the device tier"};

using values::byteText;
using values::percent;
using values::points;
[[nodiscard]] std::string milliseconds(std::int64_t ns);
/// Of a time between two readings, which says no more digits.
[[nodiscard]] std::string sampledTime(std::int64_t ns);
[[nodiscard]] Evidence evidence(const model::Rank& rank, const model::Interval& local, std::string what);

/// 0 where the finding has no such figure.
[[nodiscard]] double figureOf(const Finding& finding, std::string_view name);

/// The part of a collective in which data moved.
[[nodiscard]] Evidence transferEvidence(const Context& context, const metrics::ArrivedOperation& each,
                                        std::string what);

/// The analyzed step in which a figure is largest, on the rank where it is.
[[nodiscard]] std::vector<Evidence>
worstStep(const Context& context, std::int64_t metrics::Breakdown::*figure, std::string_view what);

/// All analyzed steps of a rank, on its clock.
[[nodiscard]] model::Interval analyzedSpan(const metrics::RankMetrics& rank);

/// The same on its host, which runs ahead of its device: from the begin of the first to the end of the last.
[[nodiscard]] model::Interval analyzedHostSpan(const Context& context, const metrics::RankMetrics& rank);

/// A time summed over the analyzed steps of a rank, as one of a step.
[[nodiscard]] std::int64_t ofAStep(const Context& context, const metrics::RankMetrics& rank, std::int64_t ns);

/// A cost as a share of the run's step.
[[nodiscard]] double shareOfStep(const Context& context, std::int64_t ns);

/// What a cost means for the whole: below 1 % of the step it is only information, from 10 % on a problem.
[[nodiscard]] Severity severityByCost(const Context& context, std::int64_t costNs);

/// The biggest class of idle time over all ranks.
[[nodiscard]] metrics::IdleClass biggestIdleClass(const Context& context);

/// Whether the clocks of hosts are so uncertain that the arrivals seen could all be at the same moment.
[[nodiscard]] bool arrivalsBelowClockError(const Context& context);

} // namespace ringside::rules
