// SPDX-License-Identifier: Apache-2.0
// Which files the paths that a user gave stand for, told by the files' contents.
#pragma once
#include "import/importer.h"

#include <ringside/error.h>

#include <filesystem>
#include <optional>
#include <span>
#include <vector>

namespace ringside::importers {

/// A file or directory that is part of a run; without an importer it is native.
struct Source {
    std::filesystem::path path;
    const Importer* importer = nullptr;
    std::vector<trace::ProcessTrace> processes = {};
    std::optional<Error> error = std::nullopt; ///< why it gave nothing
};

/// Whether `path` is a native trace, or a directory that holds some.
[[nodiscard]] bool isNativeRun(const std::filesystem::path& path);

/// In the order of their paths, each once. Throws Error: Unusable where a path stands for no trace (it says
/// what was looked for) or for the whole machine.
[[nodiscard]] std::vector<Source> findSources(const std::vector<std::filesystem::path>& paths,
                                              std::span<const Importer* const> importers);

} // namespace ringside::importers
