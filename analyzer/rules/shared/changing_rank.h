// SPDX-License-Identifier: Apache-2.0
// Helpers for rules that name no rank, because a different rank computes longest in each step.
#pragma once
#include "metrics/batch_growth.h"
#include "rules/shared/support.h"

namespace ringside::rules {

/// Returns null if the steps of at least two ranks can be compared, else the reason why not.
[[nodiscard]] std::optional<NotApplicable> cannotCompareSteps(const Context& context);

/// "The rank that computes longest changes from step to step (most often rank 3, in 9 of the 30 costliest of
/// 40 steps), 12.0 % above the mean", or of one rank in all of them "Rank 3 computes longer than the others
/// ..."
[[nodiscard]] words::Text changingRankTitle(const Context& context, const metrics::ChangingCompute& changing);

/// Returns a finding with cost, severity, figures and evidence.
[[nodiscard]] Finding changingRankFinding(const Context& context, const metrics::ChangingCompute& changing,
                                          const metrics::BatchGrowth& growth);

} // namespace ringside::rules
