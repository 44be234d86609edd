// SPDX-License-Identifier: Apache-2.0
// Helpers for many rules: formatting, severity by cost, evidence, cost per step, and the check against the
// clock error.
#pragma once
#include "rules/rule.h"
#include "values/quantile.h"
#include "values/text.h"
#include "words/support.h"

#include <fmt/format.h>

namespace ringside::rules {

inline const NotApplicable kBelowClockError{words::support::below_clock_error, true};
inline const NotApplicable kNeedsDevice{words::support::needs_device};
inline const NotApplicable kNeedsArrivals{words::support::needs_arrivals};

using values::byteText;
using values::percent;
using values::points;
[[nodiscard]] std::string milliseconds(std::int64_t ns);
[[nodiscard]] Evidence evidence(const model::Rank& rank, const model::Interval& local, words::Text what);

/// Returns the value of a figure by its name, or 0 if the finding has no such figure.
[[nodiscard]] double figureOf(const Finding& finding, std::string_view name);
[[nodiscard]] bool hasFigure(const Finding& finding, std::string_view name);

/// Returns the part of a collective in which data moved: from the last arrival to the end.
[[nodiscard]] Evidence transferEvidence(const Context& context, const metrics::ArrivedOperation& each,
                                        words::Text what);

/// Returns the analyzed step and rank in which a time is largest, or nothing if no rank was measured.
[[nodiscard]] std::vector<Evidence>
worstStep(const Context& context, std::int64_t metrics::Breakdown::*figure, const words::Template& what);

/// Returns the span of all analyzed steps of a rank, in the rank's device time.
[[nodiscard]] model::Interval analyzedSpan(const metrics::RankMetrics& rank);

/// Returns the same span on the host, which runs ahead of the device: from the start of the first analyzed
/// step to the end of the last.
[[nodiscard]] model::Interval analyzedHostSpan(const Context& context, const metrics::RankMetrics& rank);

/// Returns a time, summed over the analyzed steps of a rank, as nanoseconds per step of the run.
[[nodiscard]] std::int64_t ofAStep(const Context& context, const metrics::RankMetrics& rank, std::int64_t ns);
/// The same for many ranks: `stepNs` is RunMetrics::stepNs(), which goes over all of them.
[[nodiscard]] std::int64_t ofAStep(std::int64_t stepNs, const metrics::RankMetrics& rank, std::int64_t ns);

/// Returns a cost in ns per step as a share of the run's step (0 to 1).
[[nodiscard]] double shareOfStep(const Context& context, std::int64_t ns);

/// Returns the severity of a cost: information below 1 % of the step, a problem from 10 % on, else a warning.
[[nodiscard]] Severity severityByCost(const Context& context, std::int64_t costNs);
/// Returns the severity of a cost that is this share of the step.
[[nodiscard]] Severity severityOfShare(double share);

/// Returns the class with the most idle time over all ranks.
[[nodiscard]] metrics::IdleClass biggestIdleClass(const Context& context);

} // namespace ringside::rules
