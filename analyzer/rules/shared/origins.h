// SPDX-License-Identifier: Apache-2.0
// How findings speak of places in a job of several process groups, and of who holds such a job up.
#pragma once
#include "metrics/lateness.h"
#include "rules/shared/support.h"

namespace ringside::rules {

/// " (stage 3 of 4, replica 2 of 8)" of one rank; empty where that is not known.
[[nodiscard]] std::string placeText(const Context& context, std::size_t rank);

/// "stage 3 of 4"
[[nodiscard]] std::string stageText(const Context& context, std::int64_t stage);

/// What late_rank says of an origin. `often`: "38 of 40 steps"; `cause`: what its timeline shows.
/// `nowAndThen`: most of it was lost in few steps.
[[nodiscard]] std::string originTitle(const Context& context, const metrics::LateGroup& origin,
                                      std::string_view often, std::string_view cause, bool nowAndThen);

[[nodiscard]] Evidence originEvidence(const Context& context, const metrics::LateGroup& origin);

} // namespace ringside::rules
