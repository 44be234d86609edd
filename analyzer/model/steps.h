// SPDX-License-Identifier: Apache-2.0
// Finds the steps that a process marks on the host, and the device time of each step from the work that it
// launched. Which kind of mark counts is decided for all ranks together, in run_steps.h.
#pragma once
#include "model/launch_index.h"
#include "model/time.h"

#include <ringside/trace/reader.h>

#include <map>
#include <optional>
#include <vector>

namespace ringside::model {

enum class StepSource : std::uint8_t {
    None,
    Mark,
    Range,
    Period,
    Recording ///< no steps are marked and nothing repeats: the recording as a whole (recording_step.h)
};

struct Step {
    std::int64_t number = 0;
    Interval host; ///< from its begin to the begin of the next step
    /// From its first device operation to that of the next step. Copies that a data loader's thread makes in
    /// advance belong to no step. Null if the step has no device work or was not fully measured.
    std::optional<Interval> device;
    bool boundary = false; ///< lies at an edge of the recording, so that only a part may have been recorded
    bool warmUp = false;   ///< among the run's first steps, in a window that the recorder marked as warm-up
    /// The next step was not recorded, or recording was paused before it began. `host` then ends with its
    /// mark.
    bool pausedAfter = false;
};

/// Definitions of a step are numbered, the best first: explicit marks, then the kinds of NVTX ranges
/// (trace/step_name.h).
inline constexpr int kMarkedSteps = 0;
using StepsByDefinition = std::map<int, std::vector<Step>>;

/// Returns the steps of a process by every definition by which it marks them.
[[nodiscard]] StepsByDefinition markedSteps(const trace::ProcessTrace& process);

/// Returns the steps by ranges of the given name, which a number may follow ("iteration", "iteration 7").
[[nodiscard]] StepsByDefinition namedSteps(const trace::ProcessTrace& process, std::string_view name);

/// Returns steps that last from one range of the optimizer to the next (isOptimizerRange).
[[nodiscard]] StepsByDefinition optimizerSteps(const trace::ProcessTrace& process);

/// What a trace has of a run.
enum class Extent : std::uint8_t { Whole, Part };

/// Fills Step::device and Step::boundary. Only work on the device with ordinal `device` counts; work on all
/// devices counts if it is null. Steps that were measured in part keep their device times if no step of the
/// run was measured as a whole; of a part of the run this is not known, and they lose them.
void findDeviceSteps(std::vector<Step>& steps, const trace::ProcessTrace& process,
                     const LaunchIndex& launches, std::optional<std::uint32_t> device, Extent extent);

} // namespace ringside::model
