// SPDX-License-Identifier: Apache-2.0
// What the user says of a run that its trace does not tell.
#pragma once
#include "model/parallel_layout.h"
#include "model/steps_by.h"

#include <string>
#include <utility>
#include <vector>

namespace ringside::model {

struct ModelOptions {
    ModelOptions() = default;
    ModelOptions(StepsBy steps) : stepsBy(std::move(steps)) {} // NOLINT: most say no more than this

    StepsBy stepsBy;
    /// Kernels whose qualified name ("space::function") holds one of these, in any case, communicate.
    ParallelSizes parallel;
    std::vector<std::string> communicationKernels;
};

} // namespace ringside::model
