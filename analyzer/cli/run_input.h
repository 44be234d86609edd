// SPDX-License-Identifier: Apache-2.0
// The RUN that sub-commands take: one option, one way to open it, progress on a terminal.
#pragma once
#include <ringside/trace/reader.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <vector>

namespace ringside::cli {

using RunPaths = std::vector<std::filesystem::path>;

/// Declares the positional option RUN; `paths` outlives the parsing.
void addRunOption(CLI::App& app, RunPaths& paths);

/// A native run, or files of other tools. While it reads for long, a terminal's stderr shows how far it is.
[[nodiscard]] trace::RunTrace openRun(const RunPaths& paths);

} // namespace ringside::cli
