// SPDX-License-Identifier: Apache-2.0
// Controls a job that is being recorded, through its run directory (ringside/trace/control.h): all processes
// change at the same step. It waits for a limited time and reports which processes answered.
#pragma once
#include "cli/command.h"

#include <filesystem>
#include <string>
#include <vector>

namespace ringside::cli {

/// `words`: start, stop, level LEVEL, or dump (writes the flight recorder's buffer). Returns kPass if every
/// process obeys, and kInconclusive if some did not answer in time. Throws ringside::Error for other words,
/// or if no process of the run answers.
int controlRun(const std::filesystem::path& run, const std::vector<std::string>& words);

} // namespace ringside::cli
