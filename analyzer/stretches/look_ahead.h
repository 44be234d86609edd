// SPDX-License-Identifier: Apache-2.0
// How many steps around a stretch have to be read.
#pragma once
#include "stretches/plan.h"

namespace ringside::stretches {

/// Returns how many steps to read before and behind each stretch, so that its own steps are whole: as far as
/// the host runs ahead of the device in the middle of the run, on up to 16 ranks, and two more. Between
/// kLookAhead and kFarthestLookAhead.
[[nodiscard]] std::size_t measureLookAhead(const Plan& plan);

/// Returns whether the first or last step of the stretch is incomplete on a rank, though the one next to it
/// within the stretch is complete and the run goes on on its other side.
[[nodiscard]] bool isCutOff(const model::Model& model);

} // namespace ringside::stretches
