// SPDX-License-Identifier: Apache-2.0
#include "cli/left_files.h"

#include "hang/open_end.h"
#include "import/input.h"
#include "import/open_run.h"
#include "import/rank_names.h"
#include "import/sources.h"

#include <ringside/error.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <set>

namespace ringside::cli {
namespace {

namespace fs = std::filesystem;
using importers::Importer;

/// Returns the importers of what a job leaves that hangs or died, the most telling first.
std::vector<const Importer*> importersOfHangs()
{
    std::vector<const Importer*> kinds;
    std::ranges::copy_if(importers::all(), std::back_inserter(kinds),
                         [](const Importer* each) { return each->placeInHang > 0; });
    std::ranges::sort(kinds, {}, &Importer::placeInHang);
    return kinds;
}

/// Keeps the newest dump of each rank: a job that hangs may write several.
void keepNewest(std::vector<fs::path>& files, std::vector<std::string>& notes)
{
    std::map<std::int64_t, fs::path> newest;
    std::set<fs::path> older;
    for (const fs::path& file : files) {
        const auto rank = importers::rankOfName(file);
        if (!rank) {
            continue;
        }
        const auto [place, fresh] = newest.try_emplace(*rank, file);
        if (!fresh) {
            std::error_code ignored;
            const bool later =
                fs::last_write_time(place->second, ignored) < fs::last_write_time(file, ignored);
            older.insert(later ? place->second : file);
            place->second = later ? file : place->second;
        }
    }
    std::erase_if(files, [&](const fs::path& file) { return older.contains(file); });
    if (!older.empty()) {
        notes.push_back(fmt::format("{} older dumps of the same ranks were left out", older.size()));
    }
}

LeftFiles openKind(const Importer& importer, std::vector<fs::path> files)
{
    LeftFiles left;
    left.source = importer.id;
    left.title = importer.title;
    if (importer.writtenAgain) {
        keepNewest(files, left.notes);
    }
    const std::array<const Importer*, 1> only{&importer};
    try {
        withProgress([&](importers::Progress& progress) {
            left.run = importers::openRun(files, progress, only,
                                          importer.writtenAgain ? &hang::keepOpenEnd : nullptr);
        });
        for (const trace::IssueRow& issue : left.run.issues) {
            if (issue.is(trace::Issue::UnreadableFile)) {
                left.notes.push_back(issue.message);
            }
        }
    } catch (const Error& error) {
        left.notes.push_back(error.what());
    }
    return left;
}

} // namespace

std::vector<fs::path> leftFilesOf(const RunPaths& paths)
{
    constexpr std::size_t kMostFiles = 1 << 20;
    constexpr int kDeepest = 3;
    std::vector<fs::path> files;
    std::error_code error;
    for (const fs::path& path : paths) {
        if (fs::is_regular_file(path, error)) {
            files.push_back(path);
        } else {
            importers::refuseSystem(path);
        }
        const int deepest = importers::isNativeRun(path) ? 0 : kDeepest;
        for (fs::recursive_directory_iterator entry(path, error), end;
             !error && entry != end && files.size() < kMostFiles; entry.increment(error)) {
            std::error_code ignored;
            if (entry.depth() >= deepest || entry->path().filename().string().starts_with('.')) {
                entry.disable_recursion_pending();
            }
            if (entry->is_regular_file(ignored) && !entry->is_symlink(ignored)) {
                files.push_back(entry->path());
            }
        }
    }
    std::ranges::sort(files);
    return files;
}

std::vector<LeftFiles> openLeftFiles(const RunPaths& paths)
{
    const std::vector<const Importer*> kinds = importersOfHangs();
    std::map<const Importer*, std::vector<fs::path>> byKind;
    std::size_t unreadable = 0;
    for (const fs::path& file : leftFilesOf(paths)) {
        std::string head;
        try {
            head = importers::headOf(file, importers::kHeadBytes);
        } catch (const Error&) {
            head.clear();
        }
        unreadable += head.empty() ? 1 : 0;
        for (const Importer* const kind : kinds) { // a log may hold lines of several
            if (kind->recognises(head, file)) {
                byKind[kind].push_back(file);
            }
        }
    }
    std::vector<LeftFiles> all;
    for (const Importer* const kind : kinds) {
        if (!byKind[kind].empty()) {
            all.push_back(openKind(*kind, std::move(byKind[kind])));
        }
    }
    if (unreadable > 0 && !all.empty()) {
        all.front().notes.push_back(
            fmt::format("{} files are empty or cannot be read, and were left out", unreadable));
    }
    return all;
}

} // namespace ringside::cli
