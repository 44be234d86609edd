// SPDX-License-Identifier: Apache-2.0
// Opens a run: native traces, files of other tools, or directories of either. Files are recognised by their
// contents. All paths that are given together are one run.
#pragma once
#include "import/importer.h"

#include <filesystem>
#include <span>
#include <vector>

namespace ringside::importers {

/// Whether all paths are native traces or directories that contain some, so that nothing needs to be
/// imported. Throws Error if a path does not exist or cannot be read.
[[nodiscard]] bool isNative(const std::vector<std::filesystem::path>& paths);

/// A folder that is no run stands for the runs in it, by name. Other paths stay.
[[nodiscard]] std::vector<std::filesystem::path> runsIn(const std::vector<std::filesystem::path>& paths);

/// Returns a run's path with the name that reports give it: without a trailing slash, and not "." or "..".
[[nodiscard]] std::filesystem::path namedPath(const std::filesystem::path& path);

/// Opens all paths as one run. A directory with native traces is a native run, and other files in it are
/// ignored. In any other directory, all files that an importer recognises are read, down to a depth of 3.
/// Ranks come from the contents, else from the file names, else from the order of the names, which is
/// reported as an issue. All imported processes that contain the time of day get one clock. Throws Error:
/// Unusable if there is no trace (the message names the kinds of files searched for) or if two files claim
/// the same rank (it names both); Usage if two native runs are given. `reduce`, if there is one, is called
/// for each process of another tool's file as soon as it is read, on any thread: it may drop what its caller
/// does not need.
[[nodiscard]] trace::RunTrace openRun(const std::vector<std::filesystem::path>& paths, Progress& progress,
                                      std::span<const Importer* const> importers = all(),
                                      void (*reduce)(trace::ProcessTrace&) = nullptr);

} // namespace ringside::importers
