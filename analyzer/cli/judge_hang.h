// SPDX-License-Identifier: Apache-2.0
// Judges what a run or the files of a job waits for, with all witnesses that lie beside it.
#pragma once
#include "cli/run_input.h"
#include "hang/hang.h"

namespace ringside::cli {

/// `paths` are a run, also of a running job, or dumps and logs. It only reads, except that `takeStacks` first
/// collects the stacks of the run's processes on this host and stores them beside their traces. Throws Error
/// if nothing can be read.
[[nodiscard]] hang::Report judgeHang(const RunPaths& paths, const hang::Options& limits, bool takeStacks);

} // namespace ringside::cli
