// SPDX-License-Identifier: Apache-2.0
// Finds the steps of a process on the host, in the order explicit marks, NVTX ranges, period of the
// sequence of collectives and graph launches, and carries them over to the device by what each step launched
// (DESIGN.md section 4).
#pragma once
#include "model/launch_index.h"
#include "model/time.h"

#include <ringside/trace/reader.h>

#include <optional>
#include <vector>

namespace ringside::model {

enum class StepSource : std::uint8_t { None, Mark, Range, Period };

struct Step {
    std::int64_t number = 0;
    Interval host;                  ///< from its begin to the begin of the next
    std::optional<Interval> device; ///< from its first device operation to that of the next step
    bool boundary = false;          ///< at an edge of what was recorded: may be only a part
    bool pausedAfter = false; ///< recording was paused before the next one began: `host` ends with its mark
};

struct HostSteps {
    StepSource source = StepSource::None;
    std::vector<Step> steps;
};

[[nodiscard]] HostSteps findHostSteps(const trace::ProcessTrace& process);

/// Length of the repeating pattern in a sequence, 0 if there is none that covers at least 90 % of it.
[[nodiscard]] std::size_t findPeriod(const std::vector<std::uint64_t>& tokens);

/// Fills Step::device and Step::boundary. `device`: only work of that ordinal, null: all.
void findDeviceSteps(std::vector<Step>& steps, const trace::ProcessTrace& process,
                     const LaunchIndex& launches, std::optional<std::uint32_t> device);

} // namespace ringside::model
