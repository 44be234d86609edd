// SPDX-License-Identifier: Apache-2.0
// The argument RUN of sub-commands: its option, the way to open it, and progress on a terminal.
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

/// Declares the positional option RUN; `paths` must outlive the parsing.
void addRunOption(CLI::App& app, RunPaths& paths);

/// The options of sub-commands that interpret a run.
struct ModelArguments {
    model::StepsBy stepsBy;
    model::ParallelSizes parallel;
    std::vector<std::string> communicationKernels;
    std::string config;   ///< path of a file; empty: none
    std::string topology; ///< path of a file; empty: none
    /// Returns the options combined with the file's settings. Throws ringside::Error (Usage).
    [[nodiscard]] model::ModelOptions modelOptions() const;
};

/// Declares --steps-by, --parallel, --communication-kernel, --topology and --config; `arguments` outlives the
/// parsing.
void addModelOptions(CLI::App& app, ModelArguments& arguments);

/// Calls `read` and shows its progress on a terminal's stderr if it takes long.
void withProgress(const std::function<void(importers::Progress&)>& read);

/// Opens a native run or files of other tools, and shows the progress.
[[nodiscard]] trace::RunTrace openRun(const RunPaths& paths);

} // namespace ringside::cli
