// SPDX-License-Identifier: Apache-2.0
// What an importer is: one file in formats/, found by its name, that turns a file of another tool into the
// reader's in-memory columns. It must not guess: what its source cannot tell stays unknown, and what it
// leaves out is counted in an issue of the process.
#pragma once
#include "import/progress.h"

#include <ringside/trace/reader.h>

#include <filesystem>
#include <span>
#include <string_view>
#include <vector>

namespace ringside::importers {

/// One file to import.
struct Job {
    std::filesystem::path path;
    unsigned threads = 1; ///< may be used for it; other files are imported at the same time
    Progress& progress;   ///< is told bytes of the file as it lies on the disk
};

struct Importer {
    std::string_view id;    ///< name of the file in formats/
    std::string_view title; ///< where such files come from: "PyTorch profiler"
    std::string_view files; ///< what they are usually called: "*.json, *.json.gz"
    /// Whether the file is of this kind. `head` is how it begins (at most kHeadBytes, inflated where the file
    /// is gzip); the path is for files whose head does not tell, such as databases. Must be quick.
    bool (*recognises)(std::string_view head, const std::filesystem::path& path) = nullptr;
    /// One or several processes. Throws Error where nothing can be had from the file.
    ///
    /// A process leaves `path` empty and `ranks` empty where the file does not say its rank (openRun looks at
    /// the file's name then), `process.host` empty where it does not say the host. Times are ns after any
    /// origin within kFarthestTimeNs; a clock sample says when that was, none where nobody knows. Columns are
    /// in the order that the reader promises (sortAsRead). Table `tier` says what each tier could see.
    std::vector<trace::ProcessTrace> (*import)(const Job& job) = nullptr;
};

inline constexpr std::size_t kHeadBytes = 64U << 10U;

/// All importers, in the order of their names. No two of them recognise the same file.
[[nodiscard]] std::span<const Importer* const> all();

} // namespace ringside::importers

/// Defines the importer of this file; the name must be the file's.
#define RINGSIDE_IMPORTER(importer, ...)                                                                     \
    extern const ::ringside::importers::Importer entry;                                                      \
    const ::ringside::importers::Importer entry                                                              \
    {                                                                                                        \
        .id = #importer, __VA_ARGS__                                                                         \
    }
