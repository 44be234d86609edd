// SPDX-License-Identifier: Apache-2.0
// `ringside record -- COMMAND`: runs a command with the collector preloaded and passes its signals and exit
// code through.
#include "cli/child_process.h"
#include "cli/command.h"
#include "cli/hang_requests.h"
#include "cli/hang_verdict.h"
#include "cli/host_summaries.h"
#include "cli/live_watch.h"
#include "cli/missed_ranks.h"
#include "cli/preload.h"
#include "cli/process_ends.h"
#include "cli/record_summary.h"
#include "cli/recording_options.h"
#include "cli/recovery.h"
#include "cli/run_control.h"
#include "cli/run_directory.h"
#include "cli/trial_run.h"
#include "flight_dumps/flight_dumps.h"
#include "output/messages.h"
#include "ras/question.h"
#include "trace/shell_word.h"

#include <ringside/error.h>
#include <ringside/trace/recover.h>

#include <fmt/format.h>
#include <unistd.h>

#include <memory>

namespace ringside::cli::command_record {
namespace {

struct Options {
    std::string directory;
    RecordingOptions recording;
    std::string attachControl;
    LiveOptions live;
    bool require = false;
    bool reduce = false;
};

/// A failure of the recording must not change the command's exit code.
void collectLeftovers(const std::filesystem::path& directory)
{
    try {
        trace::copyLeftoverRings(directory);
        recoverAndReport(directory, WhenNothing::BeSilent);
    } catch (const std::exception& error) {
        output::printMessage("ringside: warning: rings were not recovered: {}\n  Try: ringside recover {}\n",
                             error.what(), trace::shellWord(directory.string()));
    }
}

/// Recovers leftover rings and prints the summary. The run directory may be gone: the command may have
/// removed it.
void finishRecording(const std::filesystem::path& directory, const Options& options,
                     const std::string& program)
{
    std::error_code error;
    if (!std::filesystem::is_directory(directory, error)) {
        output::printMessage(
            "ringside: warning: the recording is lost: {} was removed or moved while the command ran\n",
            directory.string());
        return;
    }
    const Stops stops = findStops(directory);
    collectLeftovers(directory);
    printSummary(
        {directory, program, !options.recording.keepLast.empty(), options.recording.profile == "off"}, stops);
    if (options.reduce) {
        summarizeThisHost(directory);
    }
}

RecordSettings settingsOf(const Options& options, const std::filesystem::path& collector,
                          const RunDirectory& directory)
{
    RecordSettings settings{directory.path(), collector, recordingVariables(options.recording)};
    settings.variables.emplace_back(kLaunchVariable, directory.token());
    return settings;
}

CommandEnd runWatched(const Options& options, const Words& command, const std::filesystem::path& collector,
                      const RunDirectory& run)
{
    const std::filesystem::path& directory = run.path();
    const CollectorPath loaded(collector, directory);
    prepareEnvironment(settingsOf(options, loaded.path(), run));
    ras::RasQuestion ras(directory);
    HangVerdict verdict(directory);
    const auto onHang = [&] {
        ras.ask();
        verdict.onHang();
    };
    HangRequests hangs(directory, onHang);
    MissedRanks missed(loaded.path());
    const ProcessEnds ends(directory);
    LiveWatch watch(directory, options.live, onHang);
    flight_dumps::FlightDumps dumps(directory);
    const CommandEnd end = runCommand(command, [&] {
        hangs.answer();
        missed.check();
        watch.look();
        dumps.look();
        ras.look();
        verdict.look();
    });
    dumps.finish();
    ras.look();
    if (options.recording.profile != "off") {
        output::printMessage("{}", missed.text(directory));
    }
    return end;
}

int ended(const CommandEnd& end)
{
    if (end.signal != 0) {
        endBySignal(end.signal);
    }
    return end.exitCode;
}

struct Collector {
    std::filesystem::path path;
    std::string whyNot; ///< why recording is impossible here; empty: it is possible
};

Collector collectorToUse()
{
    try {
        const std::filesystem::path path = findCollector();
        const std::string reason = whyNotLoadable(path);
        return {path,
                reason.empty() ? "" : fmt::format("{} cannot be loaded here: {}", path.string(), reason)};
    } catch (const Error& error) {
        return {{}, error.what()};
    }
}

/// Runs the command without a recording, because the job matters more.
int runUnrecorded(const Words& command, const std::string& why)
{
    output::printMessage(
        "ringside: warning: not recording: {}; the command runs unrecorded (--require prevents this)\n", why);
    return ended(runCommand(command, [] {}));
}

/// Before the job: nobody would look for what is missing while it runs.
void checkMetricsFolder(const std::string& folder)
{
    std::error_code error;
    if (!folder.empty() && !std::filesystem::is_directory(folder, error)) {
        throw Error(ErrorCode::Usage, fmt::format("--metrics {} is no directory", folder),
                    fmt::format("Make it first: mkdir -p {}", trace::shellWord(folder)));
    }
    if (!folder.empty() && access(folder.c_str(), W_OK | X_OK) != 0) {
        throw Error(ErrorCode::Usage, fmt::format("--metrics {} cannot be written", folder),
                    "Let its owner give you the right, or name another directory.");
    }
}

int run(const Options& options, const Words& command)
{
    checkRecordingOptions(options.recording);
    checkMetricsFolder(options.live.metrics);
    if (command.empty()) {
        throw Error(ErrorCode::Usage, "the command to record is missing",
                    "Put it after the options: ringside record -- torchrun train.py");
    }
    const Collector collector = collectorToUse();
    if (!collector.whyNot.empty() && options.require) {
        throw Error(ErrorCode::Io, collector.whyNot, "Without --require, the command runs unrecorded.");
    }
    if (!collector.whyNot.empty()) {
        return runUnrecorded(command, collector.whyNot);
    }
    RunDirectory directory = RunDirectory::join(options.directory);
    clearRingFolders();
    CommandEnd end;
    try {
        end = runWatched(options, command, collector.path, directory);
        if (end.exitCode != kNotFound && end.exitCode != kNotExecutable) {
            finishRecording(directory.path(), options, command.front());
        }
    } catch (...) {
        directory.leave(kRecordFailed);
        throw;
    }
    directory.leave(end.exitCode);
    return ended(end);
}

/// The other options start a recording, which this option does not.
void excludeAllOthers(CLI::App& app, CLI::Option& one)
{
    for (CLI::Option* const other : app.get_options()) {
        if (other != &one && other != app.get_help_ptr()) {
            one.excludes(other);
        }
    }
}

Action declare(CLI::App& app, const Words& job)
{
    const auto options = std::make_shared<Options>();
    app.add_option("-o,--output", options->directory,
                   "Run directory to create; default: ringside-DATE-TIME.ringside here, for ranks that a "
                   "launcher starts one by one "
                   "ringside-LAUNCH.ringside")
        ->type_name("RUN");
    addRecordingOptions(app, options->recording);
    app.add_flag("--require", options->require,
                 "Fail with code 125 if the collector cannot be loaded (for example, because the C library "
                 "is too old); "
                 "default: print the reason and run the command unrecorded");
    app.add_flag("--reduce", options->reduce,
                 "When the last process of this host has ended, write its summary beside the traces, as "
                 "`ringside reduce` does");
    app.add_option("--on-alarm", options->live.onAlarm,
                   "Command for the shell that is started when an alarm begins or ends, with the alarm as a "
                   "line of JSON (ringside-alarm/1) on its standard input")
        ->type_name("COMMAND");
    app.add_option("--metrics", options->live.metrics,
                   "Directory for metrics of the running job, in a file that the text collector of "
                   "Prometheus' node exporter reads")
        ->type_name("DIR");
    CLI::Option* const attach = app.add_option(
        "--attach-control", options->attachControl,
        "Change what the job that is being recorded into RUN records, from the same step on in all "
        "processes; runs no command. start: as its profile says; stop: only definitions; level LEVEL: "
        "paused, "
        "light, standard or deep; dump: write the flight recorder's buffer");
    attach->option_text("RUN start|stop|level LEVEL|dump");
    excludeAllOthers(app, *attach);
    app.add_option("COMMAND",
                   "Command and its arguments, best after --. All words after its name belong to it");
    return [options, &job] {
        return options->attachControl.empty() ? run(*options, job) : controlRun(options->attachControl, job);
    };
}

constexpr std::array<Example, 4> kExamples{{
    {"ringside record -o run.ringside -- torchrun --nproc_per_node 8 train.py",
     "Records a job; everything after -- is its command."},
    {"srun ringside record -o /shared/run.ringside -- python train.py",
     "Records each rank that a launcher starts; all share the run directory."},
    {"ringside record --keep-last 60s -- python train.py",
     "Keeps the last minute in memory, and writes it if a rank dies or hangs."},
    {"ringside record --attach-control run.ringside stop", "Pauses the recording of a running job."},
}};

} // namespace

RINGSIDE_COMMAND(record, .summary = "Run a command and record its ranks", .group = Group::Record,
                 .examples = kExamples, .declareWithJob = declare, .failureCode = kRecordFailed);

} // namespace ringside::cli::command_record
