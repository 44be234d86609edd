// SPDX-License-Identifier: Apache-2.0
// Opens whatever somebody calls a run: native traces, files of other tools, directories of either. What a
// file is, its contents say. Everything given together is one run.
#pragma once
#include "import/importer.h"

#include <filesystem>
#include <span>
#include <vector>

namespace ringside::importers {

/// Whether all of it is native, so that it need not be imported: trace files, or a directory that holds some.
/// Throws Error where something is not there or cannot be reached.
[[nodiscard]] bool isNative(const std::vector<std::filesystem::path>& paths);

/// A directory with native traces is a native run, and nothing else in it is looked at; of another one, all
/// files that an importer recognises are read, down to a depth of 3. Ranks are what the contents say, else
/// the files' names, else numbers in the order of the names (an issue says so). All processes of foreign
/// files get one clock, as far as they know the time of day. Throws Error: Unusable when nothing there is a
/// trace (it says what was looked for), or when two files claim one rank (it names both).
[[nodiscard]] trace::RunTrace openRun(const std::vector<std::filesystem::path>& paths, Progress& progress,
                                      std::span<const Importer* const> importers = all());

} // namespace ringside::importers
