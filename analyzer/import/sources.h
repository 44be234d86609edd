// SPDX-License-Identifier: Apache-2.0
// Finds the trace files behind the paths that a user gave, and recognises them by their contents.
#pragma once
#include "import/importer.h"

#include <ringside/error.h>

#include <filesystem>
#include <optional>
#include <span>
#include <vector>

namespace ringside::importers {

/// A file or directory that is part of a run. It is a native trace if `importer` is null.
struct Source {
    std::filesystem::path path;
    const Importer* importer = nullptr;
    std::vector<trace::ProcessTrace> processes = {};
    std::optional<Error> error = std::nullopt; ///< why it could not be read
};

/// Whether `path` is a native trace, or a directory that contains some.
[[nodiscard]] bool isNativeRun(const std::filesystem::path& path);

/// Throws Error (Unusable) if the directory is the root or belongs to a kernel file system: reading the
/// kernel's files may take long or block, and neither is a run.
void refuseSystem(const std::filesystem::path& directory);

/// Returns the sources behind `paths`, ordered by path, each once. Throws Error (Unusable) if a path contains
/// no trace (the message names the kinds of files searched for), or is the root or a kernel file system.
[[nodiscard]] std::vector<Source> findSources(const std::vector<std::filesystem::path>& paths,
                                              std::span<const Importer* const> importers);

} // namespace ringside::importers
