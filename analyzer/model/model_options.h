// SPDX-License-Identifier: Apache-2.0
// What a trace does not contain: what the user states about the run, and which part of the run the trace is.
#pragma once
#include "model/parallel_layout.h"
#include "model/steps.h"
#include "model/steps_by.h"
#include "model/switches.h"
#include "model/time.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ringside::model {

/// The steps that a model of a part of a run is about. The steps around them are there for the edges.
struct StepStretch {
    std::int64_t first = 0, last = 0; ///< step numbers
    bool beginsRun = true;            ///< nothing was recorded before
    bool endsRun = true;              ///< nothing was recorded afterwards
    int definition = kMarkedSteps;    ///< by which steps were found in the whole run (StepsByDefinition)
    /// For each process of the trace its steps in the part that is read, numbered as in the whole run.
    std::vector<std::vector<Step>> steps = {};
};

/// The clock of a host as it was fitted to matches of the whole run.
struct HostClock {
    std::string host, bootId;
    std::int64_t offsetNs = 0;
    double drift = 0;
    std::optional<std::int64_t> residualNs, boundNs; ///< as in Host
    ClockMap map;
};

struct ModelOptions {
    ModelOptions() = default;
    ModelOptions(StepsBy steps) : stepsBy(std::move(steps)) {} // NOLINT: implicit for the most common use

    StepsBy stepsBy;
    ParallelSizes parallel;
    /// A kernel counts as communication if its qualified name ("space::function") contains one of these. Case
    /// does not matter.
    std::vector<std::string> communicationKernels;
    std::vector<Switch> switches;       ///< of the cluster's network; empty if the user did not give them
    std::optional<StepStretch> stretch; ///< null: the trace is the whole run
    /// Clocks of all hosts, the reference first. Empty: they are fitted to the trace.
    std::vector<HostClock> clocks;
};

} // namespace ringside::model
