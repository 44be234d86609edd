// SPDX-License-Identifier: Apache-2.0
// The RUN that sub-commands take: one option, one way to open it, progress on a terminal.
#pragma once
#include "import/progress.h"
#include "model/model_options.h"

#include <ringside/trace/reader.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <functional>
#include <vector>

namespace ringside::cli {

using RunPaths = std::vector<std::filesystem::path>;

/// Declares the positional option RUN; `paths` outlives the parsing.
void addRunOption(CLI::App& app, RunPaths& paths);

/// What sub-commands that look into a run are told of it.
struct ToldOfRun {
    model::StepsBy stepsBy;
    model::ParallelSizes parallel;
    std::vector<std::string> communicationKernels;
    std::string config; ///< a file; empty: none
    /// What the options say, and the file says besides. Throws ringside::Error (Usage).
    [[nodiscard]] model::ModelOptions modelOptions() const;
};

/// Declares --steps-by, --parallel, --communication-kernel and --config; `told` outlives the parsing.
void addModelOptions(CLI::App& app, ToldOfRun& told);

/// Calls `read` with a progress that is shown on a terminal's stderr while it reads for long.
void withProgress(const std::function<void(importers::Progress&)>& read);

/// A native run, or files of other tools; shows its progress.
[[nodiscard]] trace::RunTrace openRun(const RunPaths& paths);

} // namespace ringside::cli
