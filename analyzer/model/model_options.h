// SPDX-License-Identifier: Apache-2.0
// What the user states about a run that its trace does not contain.
#pragma once
#include "model/parallel_layout.h"
#include "model/steps_by.h"

#include <string>
#include <utility>
#include <vector>

namespace ringside::model {

struct ModelOptions {
    ModelOptions() = default;
    ModelOptions(StepsBy steps) : stepsBy(std::move(steps)) {} // NOLINT: implicit for the most common use

    StepsBy stepsBy;
    ParallelSizes parallel;
    /// A kernel counts as communication if its qualified name ("space::function") contains one of these. Case
    /// does not matter.
    std::vector<std::string> communicationKernels;
};

} // namespace ringside::model
