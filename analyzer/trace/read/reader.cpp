// SPDX-License-Identifier: Apache-2.0
#include "trace/read/parallel.h"
#include "trace/read/process_reader.h"
#include "trace/read/read_part.h"
#include "trace/read/run_files.h"
#include "trace/read/watched_run.h"

#include <ringside/error.h>
#include <ringside/trace/reader.h>
#include <ringside/trace/recover.h>

#include <iterator>
#include <optional>
#include <utility>

namespace ringside::trace {
namespace {

/// Result of reading one file.
struct FileResult {
    std::vector<ProcessTrace> processes;
    std::optional<Error> error;
};

FileResult tryRead(const std::filesystem::path& file, unsigned threads, const ReadWatch& watch,
                   const ReadPart& part)
{
    FileResult result;
    try {
        result.processes = readFile(file, threads, watch, part);
    } catch (const Error& error) {
        result.error = error;
    }
    return result;
}

void reportLeftoverRings(RunTrace& run)
{
    for (const LeftoverRings& leftover : findLeftoverRings(run.path)) {
        if (leftover.running) {
            run.issues.push_back(
                IssueRow{Issue::StillRecording, 1, leftover.process + " is still being recorded"});
        } else {
            run.issues.push_back(IssueRow{Issue::RingsNotRecovered, 1,
                                          leftover.process +
                                              " died and left records outside of its trace: run ringside "
                                              "recover on its host"});
        }
    }
}

RunTrace openRunOrPart(const std::filesystem::path& path, const ReadWatch& watch, const ReadPart& part)
{
    RunTrace run;
    run.path = path;
    if (!std::filesystem::is_directory(path)) {
        run.processes = readFile(path, coreCount(), watch, part);
        return run;
    }
    const auto files = traceFilesOf(path);
    std::vector<FileResult> results(files.size());
    const unsigned threadsAFile = std::max(1U, coreCount() / static_cast<unsigned>(files.size()));
    parallelFor(files.size(), coreCount(),
                [&](std::size_t i) { results[i] = tryRead(files[i], threadsAFile, watch, part); });
    for (FileResult& result : results) {
        std::move(result.processes.begin(), result.processes.end(), std::back_inserter(run.processes));
        if (result.error) {
            run.issues.push_back(IssueRow{Issue::UnreadableFile, 1, result.error->what()});
        }
    }
    if (run.processes.empty()) {
        throw Error(*results.front().error);
    }
    reportLeftoverRings(run);
    return run;
}

} // namespace

ProcessTrace::ProcessTrace() = default;
ProcessTrace::~ProcessTrace() = default;
ProcessTrace::ProcessTrace(const ProcessTrace&) = default;
ProcessTrace::ProcessTrace(ProcessTrace&&) noexcept = default;
ProcessTrace& ProcessTrace::operator=(const ProcessTrace&) = default;
ProcessTrace& ProcessTrace::operator=(ProcessTrace&&) noexcept = default;

std::string_view ProcessTrace::text(StringId id) const
{
    const auto found = strings.find(id);
    return found != strings.end() ? std::string_view(found->second) : std::string_view();
}

ProcessTrace readProcess(const std::filesystem::path& file)
{
    auto processes = readFile(file, coreCount());
    if (processes.size() != 1) {
        throw Error(ErrorCode::Usage,
                    file.string() + " holds " + std::to_string(processes.size()) + " processes, not one",
                    "Give the file of one process: HOST-PID.db of a run directory.");
    }
    return std::move(processes.front());
}

RunTrace openRun(const std::filesystem::path& path)
{
    return openRun(path, {});
}

RunTrace openRun(const std::filesystem::path& path, const ReadWatch& watch)
{
    return openRunOrPart(path, watch, {});
}

RunTrace openPart(const std::filesystem::path& path, const ReadPart& part)
{
    return openRunOrPart(path, {}, part);
}

} // namespace ringside::trace
