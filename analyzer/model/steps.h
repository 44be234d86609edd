// SPDX-License-Identifier: Apache-2.0
// Finds the steps that a process marks on the host, and carries steps over to the device by what each
// launched. Which of its marks count, the ranks decide together: run_steps.h.
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
    Recording ///< nobody marks steps and nothing repeats: the recording as a whole (recording_step.h)
};

struct Step {
    std::int64_t number = 0;
    Interval host;                  ///< from its begin to the begin of the next
    std::optional<Interval> device; ///< from its first device operation to that of the next step; what a
                                    ///< loader's thread copies ahead belongs to none
    bool boundary = false;          ///< at an edge of what was recorded: may be only a part
    bool warmUp = false;            ///< among the run's first, which the recorder said to be slower
    bool pausedAfter = false; ///< the next one was not recorded, or recording was paused before it began:
                              ///< `host` ends with its mark
};

/// Explicit marks; behind them the kinds of NVTX ranges, best first (trace/step_name.h).
inline constexpr int kMarkedSteps = 0;
using StepsByDefinition = std::map<int, std::vector<Step>>;

/// In every way in which a process marks steps.
[[nodiscard]] StepsByDefinition markedSteps(const trace::ProcessTrace& process);

/// By ranges of a name, which a number may follow ("iteration", "iteration 7").
[[nodiscard]] StepsByDefinition namedSteps(const trace::ProcessTrace& process, std::string_view name);

/// From one of the optimizer's ranges to the next, as torch.profiler names them ("Optimizer.step#Adam.step").
[[nodiscard]] StepsByDefinition optimizerSteps(const trace::ProcessTrace& process);

/// Fills Step::device and Step::boundary. `device`: only work of that ordinal, null: all.
void findDeviceSteps(std::vector<Step>& steps, const trace::ProcessTrace& process,
                     const LaunchIndex& launches, std::optional<std::uint32_t> device);

} // namespace ringside::model
