// SPDX-License-Identifier: Apache-2.0
// Which processes of a job that was not started under Ringside stand still, and which of them stands
// elsewhere than the others. Stacks show where a process is, not what it waits for: the summary says no more
// than that.
#pragma once
#include "attach/gpu.h"
#include "attach/job_process.h"
#include "hang/hang.h"

#include <ringside/trace/rows.h>

#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ringside::attach {

// Where a process stands, from its stacks at several times.

struct Standing {
    /// The innermost line of the main thread: of Python, "wait_for_batch (data.py:42)", or the innermost
    /// function outside of the C library, "cudaStreamSynchronize (libcudart.so.12)". Empty if not known.
    std::string place;
    std::string ncclCall; ///< function of NCCL that any of its threads is in; empty: none
    bool stood = false;   ///< at least two samples show a place, and it is the same one in all that do
    bool moved = false;   ///< samples show different places
    std::vector<std::string> stack; ///< of the main thread in the latest sample, innermost first
    std::vector<std::string> notes; ///< what could not be read, and why
};

/// `samples`: the rows of each sample, the oldest first. `mainThread`: id of the main thread as the process
/// itself sees it, which stack rows use.
[[nodiscard]] Standing standingOf(const std::vector<std::vector<trace::StackRow>>& samples,
                                  std::int64_t mainThread);

struct ProcessReport {
    JobProcess process;
    Standing standing;
};

struct StuckReport {
    std::string host;
    std::size_t samples = 0;   ///< of the stacks of each process
    double secondsWatched = 0; ///< between the first sample and the last
    std::vector<ProcessReport> processes;
    Gpus gpus;
    std::optional<hang::Witness> ras; ///< what NCCL's RAS says of the job; null: it was not asked
    std::string summary;              ///< written by judge()
    std::vector<std::size_t>
        lookFirst; ///< indices of processes that stand elsewhere than most; written by judge()
};

/// Writes the summary of a report whose processes are known.
void judge(StuckReport& report);

/// Adds an answer of NCCL's RAS, or the reason why there is none.
void addRas(StuckReport& report, std::string_view answer, const std::string& whyNot);

/// Returns whether most of the processes whose stacks are known stand still.
[[nodiscard]] bool isStuck(const StuckReport& report);

[[nodiscard]] std::string formatText(const StuckReport& report);
/// As ringside-attach-1.schema.json describes it. `verdict` is verdictOf(report).
[[nodiscard]] std::string formatJson(const StuckReport& report, const hang::Report& verdict);

} // namespace ringside::attach
