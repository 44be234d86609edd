// SPDX-License-Identifier: Apache-2.0
// Defines the interface of an importer. An importer is one file in formats/, found by its name, that turns a
// file of another tool into the reader's in-memory columns. It must not guess: what its source does not
// contain stays unknown, and what it leaves out is counted in an issue of the process.
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
    unsigned threads = 1; ///< number of threads it may use; other files are imported at the same time
    Progress& progress;   ///< receives the bytes of the file as stored on disk
};

struct Importer {
    std::string_view id;    ///< name of the file in formats/
    std::string_view title; ///< the tool that writes such files, such as "PyTorch profiler"
    std::string_view files; ///< their usual names, such as "*.json, *.json.gz"
    /// Whether the file is of this kind. `head` is its beginning (at most kHeadBytes, inflated if the file is
    /// gzip); the path is for files whose head is not enough, such as databases. Must be quick.
    bool (*recognises)(std::string_view head, const std::filesystem::path& path) = nullptr;
    /// Returns one or several processes. Throws Error if nothing in the file can be used.
    ///
    /// `path` stays empty. `ranks` stays empty if the file does not contain its rank; openRun then uses the
    /// file's name. `process.host` stays empty if the file does not contain the host. Times are ns after any
    /// origin within kFarthestTimeNs; a clock sample gives the time of day of that origin if it is known.
    /// Columns are in the order that the reader guarantees (sortAsRead). Table `tier` states what each tier
    /// could see.
    std::vector<trace::ProcessTrace> (*import)(const Job& job) = nullptr;
    /// Its place among what a job that hangs or died leaves, the most telling first; 0: it says nothing of
    /// it.
    int placeInHang = 0;
    /// A job may write it again and again: of the files of one rank the newest counts.
    bool writtenAgain = false;
    /// Its files are called after their hosts, so that numbers in their names are no ranks.
    bool namedByHost = false;
    /// Its processes run the same program on each of their GPUs, so that each GPU with work is a rank.
    bool devicesAreRanks = false;
    /// Whether another file, in the folder of one of this kind, holds the same recording once more. It is not
    /// read then. Null if that does not happen.
    bool (*repeats)(const std::filesystem::path& own, const std::filesystem::path& other) = nullptr;
};

inline constexpr std::size_t kHeadBytes = 64U << 10U;

/// Returns all importers, ordered by name. No two of them recognise the same file.
[[nodiscard]] std::span<const Importer* const> all();

} // namespace ringside::importers

/// Defines the importer of this file. Its name must be the name of the file.
#define RINGSIDE_IMPORTER(importer, ...)                                                                     \
    extern const ::ringside::importers::Importer entry;                                                      \
    const ::ringside::importers::Importer entry                                                              \
    {                                                                                                        \
        .id = #importer, __VA_ARGS__                                                                         \
    }
