// SPDX-License-Identifier: Apache-2.0
// The RUN that sub-commands take: one option, one way to open it, progress on a terminal.
#pragma once
#include "import/progress.h"
#include "model/parallel_layout.h"
#include "model/steps_by.h"

#include <ringside/trace/reader.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <functional>
#include <vector>

namespace ringside::cli {

using RunPaths = std::vector<std::filesystem::path>;

/// Declares the positional option RUN; `paths` outlives the parsing.
void addRunOption(CLI::App& app, RunPaths& paths);

/// Declares --steps-by; `stepsBy` outlives the parsing.
void addStepsOption(CLI::App& app, model::StepsBy& stepsBy);

/// Declares --parallel; `parallel` outlives the parsing.
void addParallelOption(CLI::App& app, model::ParallelSizes& parallel);

/// Calls `read` with a progress that is shown on a terminal's stderr while it reads for long.
void withProgress(const std::function<void(importers::Progress&)>& read);

/// A native run, or files of other tools; shows its progress.
[[nodiscard]] trace::RunTrace openRun(const RunPaths& paths);

} // namespace ringside::cli
