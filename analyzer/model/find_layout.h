// SPDX-License-Identifier: Apache-2.0
// Finds the parallel layout of a job from which ranks communicate, and how.
#pragma once
#include "model/model.h"

namespace ringside::model {

/// Finds the layout from the job's communication: stages from messages, context groups of three and more from
/// rings of messages, experts from all-to-alls, tensor groups from how often a group communicates. The layout
/// is not known if every rank only communicates with all others, or if ranks are missing.
[[nodiscard]] ParallelLayout findLayout(const Model& model);

} // namespace ringside::model
