// SPDX-License-Identifier: Apache-2.0
// Speaks to a job that is being recorded, through its run directory (ringside/trace/control.h): all processes
// are to do the same at the same step. Waits for them only so long, and says who answered and who did not.
#pragma once
#include "cli/command.h"

#include <filesystem>
#include <string>
#include <vector>

namespace ringside::cli {

/// `words`: start, stop, level LEVEL, or dump (what a flight recorder holds). Returns kPass when every
/// process obeys, kInconclusive when some did not answer in time. Throws ringside::Error for other words, or
/// when no process of the run answers.
int controlRun(const std::filesystem::path& run, const std::vector<std::string>& words);

} // namespace ringside::cli
