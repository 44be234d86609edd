// SPDX-License-Identifier: Apache-2.0
#include "cli/recording_options.h"

#include "cli/option_values.h"

#include <ringside/error.h>
#include <ringside/trace/quantity.h>
#include <ringside/trace/recording_windows.h>
#include <ringside/trace/writer.h>

#include <fmt/format.h>

namespace ringside::cli {
namespace {

void checkLimits(const RecordingOptions& options)
{
    if (!options.keepLast.empty() && options.whenFull == "stop") {
        throw Error(ErrorCode::Usage, "--keep-last and --when-full stop exclude each other",
                    "Give one of them.");
    }
}

void declareWindows(CLI::App& app, RecordingOptions& options)
{
    const auto hint = "; outside of it, the level is light, and with --profile light nothing is recorded";
    app.add_option("--start-step", options.startStep,
                   std::string("Record at the profile's level from this step on") + hint)
        ->type_name("N")
        ->transform(wholeNumber(1));
    app.add_option("--steps", options.steps, "Number of steps to record; default: all until the end")
        ->type_name("N")
        ->transform(wholeNumber(1));
    app.add_option("--window", options.window,
                   std::string("ON/OFF, such as 2s/60s: record at the profile's level for ON, then pause for "
                               "OFF, repeatedly") +
                       hint)
        ->type_name("ON/OFF");
}

void declareLimits(CLI::App& app, RecordingOptions& options)
{
    app.add_option("--max-size", options.maxSize, "Largest size of each process's file; default: none")
        ->type_name("SIZE")
        ->transform(size(trace::kSmallestTraceBytes));
    app.add_option("--when-full", options.whenFull,
                   "stop (default): record only definitions from then on; oldest: overwrite the oldest data")
        ->check(CLI::IsMember({"stop", "oldest"}));
    app.add_option(
           "--keep-last", options.keepLast,
           "Flight recorder: keep the last DURATION in memory (at most --max-size, default "
           "64M), and "
           "write it only if a process dies, fails or hangs, or on request (--attach-control RUN dump)")
        ->type_name("DURATION")
        ->transform(duration());
}

void declareWatching(CLI::App& app, RecordingOptions& options)
{
    app.add_option("--hang-timeout", options.hangTimeout,
                   "A call as long as this, or a stop of regular collectives twice as long, is a hang; "
                   "0: never; "
                   "default: 300s")
        ->type_name("DURATION")
        ->transform(orZero(duration()));
    app.add_option("--sample-ms", options.sampleMs,
                   "Interval in milliseconds at which GPU, process, machine and network are sampled; "
                   "0: never; "
                   "default: 100")
        ->type_name("MS")
        ->transform(orZero(wholeNumber(10, 60'000)));
    app.add_flag_callback(
        "--cuda-events", [&options] { options.cudaEvents = "1"; },
        "If CUPTI cannot be used, time NCCL's calls by CUDA events in their streams (part of the "
        "device tier: standard, deep, and auto's window)");
    app.add_flag_callback(
        "-v,--verbose", [&options] { options.log = "1"; },
        "Each recorded process reports on stderr what it records and what it cannot record");
}

} // namespace

void addRecordingOptions(CLI::App& app, RecordingOptions& options)
{
    app.add_option("--profile", options.profile,
                   "auto: light, and the device tier for the first 60 steps (none marked: 60 s of steady "
                   "work, and the time before); light: no device tier, CUPTI stays "
                   "free for another tool; standard: device tier throughout; deep: also NCCL's channels and "
                   "proxy steps; off: preload only")
        ->check(CLI::IsMember({"auto", "light", "standard", "deep", "off"}))
        ->capture_default_str();
    declareWindows(app, options);
    declareLimits(app, options);
    declareWatching(app, options);
}

void checkRecordingOptions(const RecordingOptions& options)
{
    checkLimits(options);
    const trace::ParsedWindows parsed =
        trace::parseWindows({options.startStep, options.steps, options.window});
    if (!parsed.error.empty()) {
        throw Error(ErrorCode::Usage, parsed.error, "Give --start-step and --steps, or --window ON/OFF.");
    }
    if (options.profile == "off" && !parsed.windows.none()) {
        throw Error(ErrorCode::Usage, "--profile off records nothing and takes no window",
                    "Give another profile, or remove the window options.");
    }
}

std::vector<std::pair<std::string, std::string>> recordingVariables(const RecordingOptions& options)
{
    std::vector<std::pair<std::string, std::string>> variables;
    for (const RecordingVariable& variable : kRecordingVariables) {
        if (!(options.*variable.value).empty()) {
            variables.emplace_back(variable.name, options.*variable.value);
        }
    }
    return variables;
}

} // namespace ringside::cli
