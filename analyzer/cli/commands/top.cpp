// SPDX-License-Identifier: Apache-2.0
// `ringside top RUN`: what is wrong with a running job now. It reads the small files that the job's hosts
// write into the run directory, and asks nothing of the job.
#include "cli/command.h"
#include "cli/live_screen.h"
#include "cli/standard_streams.h"
#include "cli/terminal.h"
#include "live/show.h"
#include "live/snapshot.h"

#include <ringside/error.h>
#include <ringside/trace/live_snapshot.h>

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <memory>

namespace ringside::cli::command_top {
namespace {

struct Options {
    std::string run;
    std::size_t ranks = 32;
    bool once = false;
    bool json = false;
    bool lines = false;
};

bool isWatched(const std::filesystem::path& directory)
{
    std::error_code error;
    for (std::filesystem::directory_iterator file(directory, error), end; !error && file != end;
         file.increment(error)) {
        if (file->path().filename().string().ends_with(trace::kLiveSnapshotEnding)) {
            return true;
        }
    }
    return false;
}

/// Runs of the working directory that run.
std::vector<std::filesystem::path> findRuns()
{
    std::vector<std::filesystem::path> runs;
    std::error_code error;
    for (std::filesystem::directory_iterator entry(".", error), end; !error && entry != end;
         entry.increment(error)) {
        if (entry->path().extension() == ".ringside" && isWatched(entry->path())) {
            runs.push_back(entry->path().filename());
        }
    }
    std::sort(runs.begin(), runs.end());
    return runs;
}

std::filesystem::path chooseRun(const std::string& given)
{
    if (!given.empty()) {
        return given;
    }
    const std::vector<std::filesystem::path> runs = findRuns();
    if (runs.size() == 1) {
        return runs.front();
    }
    std::string list;
    for (const auto& run : runs) {
        list += "\n  ringside top " + run.string();
    }
    throw Error(ErrorCode::Usage,
                runs.empty() ? "no run of this directory is running" : "several runs are running here",
                runs.empty() ? "Name the run directory: ringside top RUN" : "Name one of them:" + list);
}

live::RunNow readOrFail(const std::filesystem::path& run)
{
    live::RunNow now = live::readRun(run);
    if (now.hosts.empty()) {
        std::error_code error;
        throw Error(ErrorCode::Unusable,
                    run.string() + (std::filesystem::is_directory(run, error)
                                        ? " does not run: no process of it has said anything lately"
                                        : " is no run directory"),
                    "A job that has just begun says something after two seconds. For a job that has ended: "
                    "ringside report " +
                        run.string());
    }
    return now;
}

int run(const Options& options)
{
    const std::filesystem::path directory = chooseRun(options.run);
    if (options.once || options.json) {
        const live::JobView view = live::viewOf(readOrFail(directory));
        printResult(options.json ? live::formatJson(view)
                                 : live::formatText(view, {options.ranks, !options.lines}));
        return kPass;
    }
    static_cast<void>(readOrFail(directory));
    if (options.lines || !obeysEscapes(STDOUT_FILENO)) {
        return watchAsLines(directory);
    }
    return watchOnScreen(directory);
}

Action declare(CLI::App& app)
{
    const auto options = std::make_shared<Options>();
    app.add_option("RUN", options->run,
                   "Run directory of a running job; default: the one in the working directory that runs")
        ->type_name("RUN");
    app.add_flag("--once", options->once, "Print what is known now and end");
    app.add_flag("--json", options->json, "The same as JSON (ringside-top/1)");
    app.add_flag("--lines", options->lines,
                 "Print a line whenever something changes, for screen readers and logs; no bars");
    app.add_option("--ranks", options->ranks, "Ranks to list")->type_name("COUNT")->capture_default_str();
    return [options] { return run(*options); };
}

constexpr std::array<Example, 3> kExamples{{
    {"ringside top run.ringside", "Watches a running job: who is late, who waits, what is not well."},
    {"ringside top run.ringside --once", "Prints what is known now."},
    {"ringside top --json", "For a script: the run of this directory that runs."},
}};

} // namespace

RINGSIDE_COMMAND(top, .summary = "Watch a running job", .group = Group::Understand, .examples = kExamples,
                 .declare = declare);

} // namespace ringside::cli::command_top
