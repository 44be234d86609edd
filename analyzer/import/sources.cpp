// SPDX-License-Identifier: Apache-2.0
#include "import/sources.h"

#include "import/input.h"
#include "trace/read/run_files.h"
#include "trace/read/sqlite_head.h"
#include "trace/read/system_error.h"
#include "trace/shell_word.h"
#include "trace/tables.h"

#include <fmt/format.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <set>
#include <string_view>

namespace ringside::importers {
namespace {

namespace fs = std::filesystem;

constexpr int kDeepest = 3; // for files such as .../run/rank3/trace.json

bool isNativeHead(std::string_view head)
{
    return trace::parseSqliteHead(head).applicationId == trace::kApplicationId;
}

/// Whether it is a native trace. A damaged file counts, because the reader reports the damage best. Databases
/// of other programs do not count.
bool isNativeFile(const fs::path& file)
{
    try {
        const std::string head = headOf(file, kHeadBytes);
        return isNativeHead(head) || !trace::parseSqliteHead(head).sqlite;
    } catch (const Error&) {
        return true;
    }
}

bool holdsTraces(const fs::path& directory)
{
    const std::vector<fs::path> files = trace::databasesIn(directory);
    return std::ranges::any_of(files, isNativeFile);
}

const Importer* importerOf(const fs::path& file, std::string_view head,
                           std::span<const Importer* const> importers)
{
    const auto found = std::ranges::find_if(
        importers, [&](const Importer* importer) { return importer->recognises(head, file); });
    return found != importers.end() ? *found : nullptr;
}

std::string searchedKinds(std::span<const Importer* const> importers)
{
    std::string text = "Looked for: native traces (*.db)";
    for (const Importer* const importer : importers) {
        text += fmt::format("; {} ({})", importer->title, importer->files);
    }
    return text + ". The contents of a file decide, not its name.";
}

dev_t fileSystemOf(const fs::path& path)
{
    struct stat status {};
    return stat(path.c_str(), &status) == 0 ? status.st_dev : dev_t{};
}

/// Returns the regular files below a directory, down to kDeepest. Hidden folders (.git) and other file
/// systems
/// (/proc) are skipped, because they contain no runs.
std::vector<fs::path> filesBelow(const fs::path& directory)
{
    std::vector<fs::path> files;
    std::error_code error;
    fs::recursive_directory_iterator entry(directory, fs::directory_options::skip_permission_denied, error);
    const dev_t fileSystem = fileSystemOf(directory);
    for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
        std::error_code ignored;
        const bool isFolder = entry->is_directory(ignored);
        const bool isHidden = entry->path().filename().string().starts_with('.');
        if (entry.depth() >= kDeepest ||
            (isFolder && (isHidden || fileSystemOf(entry->path()) != fileSystem))) {
            entry.disable_recursion_pending();
        }
        if (entry->is_regular_file(ignored)) {
            files.push_back(entry->path());
        }
    }
    if (error) {
        throw trace::systemError("cannot list " + directory.string(), error.value());
    }
    return files;
}

/// Returns a hint that names one of the runs in a directory. Empty if it contains none.
std::string runsIn(const fs::path& directory)
{
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(directory, ignored)) {
        if (entry.path().extension() == ".ringside") {
            return fmt::format("It holds runs: name one of them, such as {}. ",
                               trace::shellWord(entry.path().string()));
        }
    }
    return {};
}

[[noreturn]] void refuseEmpty(const fs::path& directory, const std::vector<Source>& failed,
                              std::span<const Importer* const> importers)
{
    std::string left = failed.empty() ? std::string() : fmt::format("; {}", failed.front().error->what());
    if (failed.size() > 1) {
        left += fmt::format(", and {} more cannot be read", failed.size() - 1);
    }
    throw Error(
        ErrorCode::Unusable, fmt::format("{} contains no trace that can be read{}", directory.string(), left),
        runsIn(directory) + searchedKinds(importers) +
            " Check that the job was recorded: a process writes a native trace from its first CUDA, NCCL or "
            "mark call on.");
}

Source failure(const fs::path& file, const Error& error)
{
    Source source;
    source.path = file;
    source.error = error;
    return source;
}

/// Returns the extension without a trailing ".gz": ".json" for "rank0.json.gz".
fs::path extensionUnpacked(const fs::path& file)
{
    return file.extension() == ".gz" ? file.stem().extension() : file.extension();
}

/// Adds the unreadable files whose extension is that of a readable one, because they were probably ranks of
/// the run.
void addFailed(std::vector<Source>& sources, std::vector<Source> failed)
{
    const std::size_t readable = sources.size();
    for (Source& each : failed) {
        const auto sibling =
            std::find_if(sources.begin(), sources.begin() + static_cast<std::ptrdiff_t>(readable),
                         [&](const Source& source) {
                             return extensionUnpacked(source.path) == extensionUnpacked(each.path);
                         });
        if (sibling != sources.begin() + static_cast<std::ptrdiff_t>(readable)) {
            each.importer = sibling->importer;
            sources.push_back(std::move(each));
        }
    }
}

/// Returns why a file that no importer recognises cannot be read at all. Empty if it can: then it is another
/// kind of file.
std::string whyUnreadable(const fs::path& file, std::string_view head)
{
    std::error_code ignored;
    if (fs::file_size(file, ignored) == 0) {
        return "is empty";
    }
    if (head.empty()) {
        return "is damaged: nothing of it can be decompressed";
    }
    return file.extension() == ".gz" && !File(file).isGzip() ? "is called .gz, but is no gzip file" : "";
}

/// Returns the files below a directory that an importer recognises. Other files are ignored.
std::vector<Source> sourcesBelow(const fs::path& directory, std::span<const Importer* const> importers)
{
    refuseSystem(directory);
    std::vector<Source> sources;
    std::vector<Source> failed;
    for (const fs::path& file : filesBelow(directory)) {
        try {
            const std::string head = headOf(file, kHeadBytes);
            if (const Importer* const importer = importerOf(file, head, importers)) {
                sources.push_back({file, importer});
            } else if (const std::string why = whyUnreadable(file, head); !why.empty()) {
                failed.push_back(failure(
                    file, Error(ErrorCode::Unusable, fmt::format("{} {}", file.string(), why),
                                "Was its program still writing, or was it killed? Leave the file out.")));
            }
        } catch (const Error& error) {
            failed.push_back(failure(file, error));
        }
    }
    if (sources.empty()) {
        refuseEmpty(directory, failed, importers);
    }
    addFailed(sources, std::move(failed));
    return sources;
}

Source sourceOf(const fs::path& file, std::span<const Importer* const> importers)
{
    const std::string head = headOf(file, kHeadBytes);
    if (const Importer* const importer = importerOf(file, head, importers)) {
        return {file, importer};
    }
    if (isNativeHead(head) || file.extension() == ".db") { // the reader reports damage best
        return {file};
    }
    const std::string why = whyUnreadable(file, head);
    throw Error(ErrorCode::Unusable,
                fmt::format("{} {}", file.string(), why.empty() ? "is not a trace that can be read" : why),
                searchedKinds(importers));
}

} // namespace

void refuseSystem(const fs::path& directory)
{
    constexpr std::array kKernels{PROC_SUPER_MAGIC, SYSFS_MAGIC,        DEBUGFS_MAGIC,      TRACEFS_MAGIC,
                                  SECURITYFS_MAGIC, CGROUP_SUPER_MAGIC, CGROUP2_SUPER_MAGIC};
    std::error_code ignored;
    struct statfs status {};
    const bool isKernels = statfs(directory.c_str(), &status) == 0 &&
                           std::ranges::find(kKernels, status.f_type) != kKernels.end();
    if (isKernels || fs::equivalent(directory, "/", ignored)) {
        throw Error(ErrorCode::Unusable,
                    fmt::format("{} is {}, not a run", directory.string(),
                                isKernels ? "made by the kernel" : "the whole machine"),
                    "Name the folder that contains the run.");
    }
}

bool isNativeRun(const fs::path& path)
{
    trace::checkPresent(path);
    return fs::is_directory(path) ? holdsTraces(path) : isNativeHead(headOf(path, kHeadBytes));
}

std::vector<Source> findSources(const std::vector<fs::path>& paths,
                                std::span<const Importer* const> importers)
{
    std::vector<Source> sources;
    for (const fs::path& path : paths) {
        trace::checkPresent(path);
        if (!fs::is_directory(path)) {
            sources.push_back(sourceOf(path, importers));
        } else if (holdsTraces(path)) {
            sources.push_back({path, nullptr});
        } else {
            auto below = sourcesBelow(path, importers);
            std::move(below.begin(), below.end(), std::back_inserter(sources));
        }
    }
    std::ranges::sort(sources, {}, &Source::path);
    std::set<fs::path> seen;
    std::erase_if(sources, [&seen](const Source& source) { // the same file was given twice
        std::error_code ignored;
        return !seen.insert(fs::canonical(source.path, ignored)).second;
    });
    return sources;
}

} // namespace ringside::importers
