// SPDX-License-Identifier: Apache-2.0
// Cuts a long run into stretches of steps, each of which fits into memory with the rows of all ranks.
#pragma once
#include "model/model_options.h"
#include "trace/read/read_part.h"
#include "trace/read/run_outline.h"

#include <cstdint>
#include <vector>

namespace ringside::stretches {

/// Steps that are read before and behind a stretch, so that its first and last step are whole: work that was
/// queued before, kernels that run later than they were launched, ranks that are late. Twice as many are read
/// where the host runs farther ahead of the device, up to the second number.
inline constexpr std::size_t kLookAhead = 2;
inline constexpr std::size_t kFarthestLookAhead = 32;
/// A stretch has at least this many steps, because rules compare steps with each other.
inline constexpr std::size_t kFewestSteps = 20;

/// A step of a process, on its host. Kept for the whole run, so it is small.
struct HostStep {
    std::int64_t number = 0;
    std::int64_t startNs = 0, endNs = 0;
    bool pausedAfter = false;
};

/// The steps of all processes of a run.
struct RunSteps {
    int definition = model::kMarkedSteps;
    std::vector<std::vector<HostStep>> ofProcess; ///< ascending; empty for a process that is no rank
    std::vector<std::int64_t> numbers;            ///< of all of them, ascending
};

/// Steps as indices into RunSteps::numbers; the last one belongs to them.
struct Span {
    std::size_t first = 0;
    std::size_t last = 0;
};

struct Plan {
    /// In the order of time, equally long but for one step. Empty: the run is read as a whole.
    std::vector<Span> stretches;
    RunSteps steps;
    std::vector<trace::ProcessOutline> processes; ///< of their marks only the ranks
};

/// Returns the bytes of memory that a report needs for the rows of a process and what is computed from them.
/// Measured on generated jobs, whose rows vary as those of real ones do: 11 bytes a packed row, 600 a
/// collective call with its matched operation and exposure, 250 another row.
[[nodiscard]] std::uint64_t memoryOf(const trace::ProcessOutline& process);

/// Plans how a run of these processes is read with at most about `memoryBytes` of rows. It is read as a whole
/// if it fits, or if it cannot be cut: some rank marks no steps, or marks them otherwise than the others, or
/// recorded no kernels, or was restarted; a process holds several ranks, or does not say which it is; a file
/// is damaged. Then steps, and what they lack, cannot be found without all rows.
[[nodiscard]] Plan planStretches(std::vector<trace::ProcessOutline> processes, std::uint64_t memoryBytes);

struct Part {
    model::StepStretch steps; ///< of a stretch, and those around it
    trace::ReadPart rows;     ///< of all these steps, on each process's clock
};
/// Returns what to read for a stretch.
[[nodiscard]] Part partOf(const Plan& plan, const Span& stretch, std::size_t lookAhead = kLookAhead);
/// Returns a few steps from all over the run, to which the clocks of its hosts are fitted.
[[nodiscard]] Part clockSampleOf(const Plan& plan);

} // namespace ringside::stretches
