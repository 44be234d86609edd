// SPDX-License-Identifier: Apache-2.0
// Finds the parallel layout of a job from which ranks communicate, and how.
#pragma once
#include "model/model.h"

namespace ringside::model {

/// Finds the layout from the job's communication: stages from messages (or, where it is not known who sends
/// to whom, from the names of the groups in which ranks send), context groups of three and more from rings of
/// messages, experts from all-to-alls, tensor groups from how often a group communicates. The layout is not
/// known if every rank only communicates with all others, or if ranks are missing.
[[nodiscard]] ParallelLayout findLayout(const Model& model);

/// Returns the layout that was found, or the one of sizes that the user gave. Sizes that the user did not
/// give are those that were found, as far as they fit. If the sizes are the same, each rank keeps the place
/// in which it was seen to communicate: jobs number their ranks in several ways. Throws ringside::Error
/// (Usage) if the given sizes do not divide the job.
[[nodiscard]] ParallelLayout chooseLayout(const Model& model, const ParallelSizes& given);

} // namespace ringside::model
