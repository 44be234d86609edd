// SPDX-License-Identifier: Apache-2.0
// `ringside top RUN`: what is wrong with a running job now. It reads the small files that the job's hosts
// write into the run directory, and asks nothing of the job.
#include "cli/command.h"
#include "cli/host_watch.h"
#include "cli/live_screen.h"
#include "cli/option_values.h"
#include "cli/running_runs.h"
#include "cli/standard_streams.h"
#include "cli/terminal.h"
#include "live/show.h"
#include "live/snapshot.h"

#include <ringside/error.h>

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

namespace ringside::cli::command_top {
namespace {

struct Options {
    std::string run;
    std::string filter;
    std::size_t ranks = 32;
    bool once = false;
    bool json = false;
    bool lines = false;
    bool host = false;
    std::string dcgm;
};

/// A line for each run: how to watch it, and what is to be seen.
std::string listOfRuns(const std::vector<std::filesystem::path>& runs)
{
    std::string list;
    for (const std::filesystem::path& run : runs) {
        const live::JobView view = live::viewOf(live::readRun(run));
        list += fmt::format("{}: {} rank{}{}{}. {}\n", run.string(), view.ranks.size(),
                            view.ranks.size() == 1 ? "" : "s",
                            view.step ? fmt::format(", step {}", *view.step) : "",
                            view.alarms.empty() ? ""
                                                : fmt::format(", {} alarm{}", view.alarms.size(),
                                                              view.alarms.size() == 1 ? "" : "s"),
                            view.verdict);
    }
    return list;
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

/// Null: several jobs run here, and they were listed.
std::optional<std::filesystem::path> chooseRun(const Options& options)
{
    if (!options.run.empty()) {
        return options.run;
    }
    const std::vector<std::filesystem::path> runs = findRunningRuns();
    if (runs.size() == 1) {
        return runs.front();
    }
    if (runs.empty()) {
        throw Error(ErrorCode::Usage, "no job is being recorded in this directory or on this machine",
                    "Name its run directory: ringside top RUN");
    }
    if (options.json) {
        throw Error(ErrorCode::Usage, fmt::format("{} jobs are being recorded here", runs.size()),
                    "Name one of them; `ringside top` lists them.");
    }
    printResult(listOfRuns(runs));
    return std::nullopt;
}

int showHost(const Options& options)
{
    if (!options.run.empty()) {
        throw Error(ErrorCode::Usage, "--host shows this machine, not a run", "Leave out RUN or --host.");
    }
    return options.once || options.json ? printHost(options.json, options.dcgm) : watchHost(options.dcgm);
}

int run(const Options& options)
{
    if (options.host) {
        return showHost(options);
    }
    if (!options.dcgm.empty()) {
        throw Error(ErrorCode::Usage, "--dcgm needs --host", "Leave it out, or add --host.");
    }
    const auto directory = chooseRun(options);
    if (!directory) {
        return kPass;
    }
    if (options.once || options.json) {
        const live::JobView view = live::viewOf(readOrFail(*directory));
        printResult(options.json ? live::formatJson(view)
                                 : live::formatText(view, {.mostRanks = options.ranks,
                                                           .strips = !options.lines,
                                                           .filter = options.filter}));
        return kPass;
    }
    static_cast<void>(readOrFail(*directory));
    if (options.lines || !obeysEscapes(STDOUT_FILENO)) {
        return watchAsLines(*directory);
    }
    return watchOnScreen(*directory, options.filter);
}

Action declare(CLI::App& app)
{
    const auto options = std::make_shared<Options>();
    app.add_option(
           "RUN", options->run,
           "Run directory of a running job; default: the one that is being recorded in the working directory "
           "or on this machine. Several are listed")
        ->type_name("RUN");
    app.add_flag("--once", options->once, "Print what is known now and end");
    app.add_flag("--json", options->json, "The same as JSON (ringside-top/1)");
    app.add_flag("--lines", options->lines,
                 "Print a line whenever something changes, for screen readers and logs; no bars");
    app.add_flag(
        "--host", options->host,
        "Show this machine instead, also where nothing is recorded: GPUs, the processes that use them, "
        "ports; with --json as ringside-host/1");
    app.add_option(
           "--dcgm", options->dcgm,
           "With --host: a file with the text of NVIDIA's dcgm-exporter, whose profiling fields are shown. "
           "Nothing is switched on")
        ->type_name("FILE");
    app.add_option("--filter", options->filter,
                   "Ranks to list: numbers (0-7,12), a state (hanging) or a part of a host's name")
        ->type_name("RANKS");
    app.add_option("--ranks", options->ranks, "Ranks to list")
        ->type_name("COUNT")
        ->transform(wholeNumber(0))
        ->capture_default_str();
    return [options] { return run(*options); };
}

constexpr std::array<Example, 4> kExamples{{
    {"ringside top run.ringside", "Watches a running job: who is late, who waits, what is not well."},
    {"ringside top run.ringside --once", "Prints what is known now."},
    {"ringside top --host", "Watches this machine, also where nothing is recorded."},
    {"ringside top --json", "For a script: the run of this directory that runs."},
}};

} // namespace

RINGSIDE_COMMAND(top, .summary = "Watch a running job", .group = Group::Understand, .examples = kExamples,
                 .declare = declare);

} // namespace ringside::cli::command_top
