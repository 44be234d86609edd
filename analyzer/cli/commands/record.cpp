// SPDX-License-Identifier: Apache-2.0
// `ringside record -- COMMAND`: runs a command with the collector preloaded and passes its signals and exit
// code through.
#include "cli/child_process.h"
#include "cli/command.h"
#include "cli/hang_requests.h"
#include "cli/preload.h"
#include "cli/process_ends.h"
#include "cli/record_summary.h"
#include "cli/recovery.h"
#include "cli/run_control.h"
#include "cli/run_directory.h"
#include "cli/talk.h"
#include "cli/trial_run.h"
#include "trace/shell_word.h"

#include <ringside/error.h>
#include <ringside/trace/quantity.h>
#include <ringside/trace/recording_windows.h>
#include <ringside/trace/recover.h>
#include <ringside/trace/writer.h>

#include <fmt/format.h>

#include <memory>

namespace ringside::cli::command_record {
namespace {

struct Options {
    std::string directory;
    std::string profile = "auto";
    std::string startStep;
    std::string steps;
    std::string window;
    std::string hangTimeout;
    std::string sampleMs;
    bool cudaEvents = false;
    std::string attachControl;
    std::string maxSize;
    std::string whenFull;
    std::string keepLast;
    bool require = false;
};

/// What is wrong with it, for CLI11.
std::string isDuration(const std::string& text)
{
    const bool fits = text == "0" || trace::parseDuration(text);
    return fits ? "" : "'" + text + "' is neither 0 nor a length of time such as 30s or 5m";
}

/// What went wrong with the recording must not change the command's exit code.
void collectLeftovers(const std::filesystem::path& directory)
{
    try {
        trace::copyLeftoverRings(directory);
        recoverAndTell(directory, WhenNothing::BeSilent);
    } catch (const std::exception& error) {
        talk("ringside: warning: rings were not recovered: {}\n  Try: ringside recover {}\n", error.what(),
             trace::shellWord(directory.string()));
    }
}

/// Recovers what is left and says what there is. The run directory may be gone: the command can do anything.
void finishRecording(const std::filesystem::path& directory, const Options& options,
                     const std::string& program)
{
    std::error_code error;
    if (!std::filesystem::is_directory(directory, error)) {
        talk("ringside: warning: the recording is lost: {} was removed or moved while the command ran\n",
             directory.string());
        return;
    }
    const Stops stops = findStops(directory);
    collectLeftovers(directory);
    printSummary({directory, program, !options.keepLast.empty(), options.profile == "off"}, stops);
}

void checkLimits(const Options& options)
{
    if (const auto bytes = trace::parseSize(options.maxSize);
        !options.maxSize.empty() && bytes.value_or(0) < trace::kSmallestTraceBytes) {
        throw Error(ErrorCode::Usage, "--max-size is not a size of at least 4M, such as 2G");
    }
    if (!options.keepLast.empty() && !trace::parseDuration(options.keepLast)) {
        throw Error(ErrorCode::Usage, "--keep-last is not a duration, such as 60s");
    }
    if (!options.keepLast.empty() && options.whenFull == "stop") {
        throw Error(ErrorCode::Usage,
                    "--keep-last keeps the newest, --when-full stop the oldest: give one of them");
    }
}

/// What is wrong with the options taken together.
void check(const Options& options)
{
    checkLimits(options);
    const trace::ParsedWindows parsed =
        trace::parseWindows({options.startStep, options.steps, options.window});
    if (!parsed.error.empty()) {
        throw Error(ErrorCode::Usage, "--start-step, --steps, --window: " + parsed.error);
    }
    if (options.profile == "off" && !parsed.windows.none()) {
        throw Error(ErrorCode::Usage, "--profile off records nothing, so there is no window in it",
                    "Give another profile, or no window.");
    }
}

RecordSettings settingsOf(const Options& options, const std::filesystem::path& collector,
                          const RunDirectory& directory)
{
    return {directory.path(),
            collector,
            {{kLaunchVariable, directory.token()},
             {"RINGSIDE_PROFILE", options.profile},
             {"RINGSIDE_START_STEP", options.startStep},
             {"RINGSIDE_STEPS", options.steps},
             {"RINGSIDE_WINDOW", options.window},
             {"RINGSIDE_HANG_TIMEOUT", options.hangTimeout},
             {"RINGSIDE_SAMPLE_MS", options.sampleMs},
             {"RINGSIDE_CUDA_EVENTS", options.cudaEvents ? "1" : ""},
             {"RINGSIDE_MAX_SIZE", options.maxSize},
             {"RINGSIDE_WHEN_FULL", options.whenFull},
             {"RINGSIDE_KEEP_LAST", options.keepLast}}};
}

CommandEnd runWatched(const Options& options, const Words& command, const std::filesystem::path& collector,
                      const RunDirectory& run)
{
    const std::filesystem::path& directory = run.path();
    const CollectorPath loaded(collector, directory);
    prepareEnvironment(settingsOf(options, loaded.path(), run));
    HangRequests hangs(directory);
    const ProcessEnds ends(directory);
    return runCommand(command, [&hangs] { hangs.answer(); });
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
    std::string whyNot; ///< why nothing can be recorded here; empty: it can
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

/// The job matters more than its recording.
int runUnrecorded(const Words& command, const std::string& why)
{
    talk("ringside: warning: not recording: {}; the command runs without it (--require: it does not)\n", why);
    return ended(runCommand(command, [] {}));
}

int run(const Options& options, const Words& command)
{
    check(options);
    if (command.empty()) {
        throw Error(ErrorCode::Usage, "there is no command to record",
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

void declareWindows(CLI::App& app, Options& options)
{
    const auto hint = "; outside of it only light is recorded, and nothing under --profile light";
    app.add_option("--start-step", options.startStep,
                   std::string("Record what the profile says from this step on") + hint)
        ->type_name("N");
    app.add_option("--steps", options.steps, "For that many steps; default: to the end")->type_name("N");
    app.add_option(
           "--window", options.window,
           std::string("ON/OFF, such as 2s/60s: record what the profile says for ON of every ON + OFF") +
               hint)
        ->type_name("ON/OFF");
}

void declareLimits(CLI::App& app, Options& options)
{
    app.add_option("--max-size", options.maxSize,
                   "Largest size of each process's file, such as 2G; default: none")
        ->type_name("SIZE");
    app.add_option("--when-full", options.whenFull,
                   "stop (default): record only definitions from then on; oldest: the oldest makes room")
        ->check(CLI::IsMember({"stop", "oldest"}));
    app.add_option(
           "--keep-last", options.keepLast,
           "Flight recorder: keep so much, such as 60s, in memory (at most --max-size, default 64M), and "
           "write it only when a process dies, fails or hangs, or when asked (--attach-control RUN dump)")
        ->type_name("DURATION");
}

/// They say how to begin a recording, which this one does not.
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
                   "Run directory to make; default: ringside-DATE-TIME.ringside here, of ranks that a "
                   "launcher starts one by one "
                   "ringside-LAUNCH.ringside")
        ->type_name("RUN");
    app.add_option("--profile", options->profile,
                   "auto: light, and the device tier for the first 60 steps (none marked: 60 s of steady "
                   "work, and before); light: no device tier, CUPTI stays "
                   "free for another tool; standard: device tier throughout; deep: and NCCL's channels and "
                   "proxy steps; off: preload only")
        ->check(CLI::IsMember({"auto", "light", "standard", "deep", "off"}))
        ->capture_default_str();
    declareWindows(app, *options);
    declareLimits(app, *options);
    app.add_option("--hang-timeout", options->hangTimeout,
                   "A call as long as this, or a stop of regular collectives twice as long, is a hang (30s, "
                   "5m); 0: never; "
                   "default: 300s")
        ->type_name("DURATION")
        ->check(CLI::Validator(isDuration, "DURATION"));
    app.add_option(
           "--sample-ms", options->sampleMs,
           "Sample GPU, process, machine and network every so many milliseconds, 10 to 60000; 0: do not; "
           "default: 100")
        ->type_name("MS")
        ->check(CLI::IsMember({"0"}) | CLI::Range(10, 60000));
    app.add_flag("--cuda-events", options->cudaEvents,
                 "Where CUPTI cannot be used: time NCCL's calls by CUDA events in their streams (part of the "
                 "device tier: standard, deep, and auto's window)");
    app.add_flag(
        "--require", options->require,
        "Where the collector cannot be loaded (an older C library, for instance), fail with code 125; "
        "default: say why and run the command unrecorded");
    CLI::Option* const attach = app.add_option(
        "--attach-control", options->attachControl,
        "Runs nothing: tells all processes of the job that is being recorded there what to record from the "
        "same step on. start: what its profile says; stop: nothing but definitions; level LEVEL: paused, "
        "light, standard or deep; dump: write down what the flight recorder holds");
    attach->option_text("RUN start|stop|level LEVEL|dump");
    excludeAllOthers(app, *attach);
    app.add_option("COMMAND",
                   "Command and its arguments, best after --: from its first word on, all is its own");
    return [options, &job] {
        return options->attachControl.empty() ? run(*options, job) : controlRun(options->attachControl, job);
    };
}

constexpr std::array<Example, 4> kExamples{{
    {"ringside record -o run.ringside -- torchrun --nproc_per_node 8 train.py",
     "Record a job; everything after -- is its command."},
    {"srun ringside record -o /shared/run.ringside -- python train.py",
     "Behind a launcher, for each rank: all share the run directory."},
    {"ringside record --keep-last 60s -- python train.py",
     "Keep the last minute in memory, and write it when a rank dies or hangs."},
    {"ringside record --attach-control run.ringside stop", "Tell a job that is being recorded to pause."},
}};

} // namespace

RINGSIDE_COMMAND(record, .summary = "Run a command and record what its ranks do", .group = Group::Record,
                 .examples = kExamples, .declareWithJob = declare, .failureCode = kRecordFailed);

} // namespace ringside::cli::command_record
