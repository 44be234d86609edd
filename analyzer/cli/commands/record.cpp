// SPDX-License-Identifier: Apache-2.0
// `ringside record -- COMMAND`: runs a command with the collector preloaded and passes its signals and exit
// code through.
#include "cli/child_process.h"
#include "cli/command.h"
#include "cli/recovery.h"
#include "cli/run_directory.h"

#include <ringside/error.h>
#include <ringside/trace/recover.h>

#include <fmt/format.h>

#include <memory>

namespace ringside::cli {
namespace {

struct Options {
    std::string directory;
    std::string profile = "auto";
    std::vector<std::string> command;
};

std::size_t countProcessFiles(const std::filesystem::path& directory)
{
    std::size_t count = 0;
    for (const auto& entry : std::filesystem::directory_iterator(directory)) {
        count += entry.path().extension() == ".db" ? 1U : 0U;
    }
    return count;
}

void printSummary(const std::filesystem::path& directory)
{
    const std::size_t processes = countProcessFiles(directory);
    if (processes == 0) {
        fmt::print(
            stderr,
            "ringside: nothing recorded: no process called NCCL or CUDA with the collector preloaded\n");
        return;
    }
    fmt::print(stderr, "ringside: {} process{} recorded in {}\nringside: next: ringside report {}\n",
               processes, processes == 1 ? "" : "es", directory.string(), directory.string());
}

/// What went wrong with the recording must not change the command's exit code.
void collectLeftovers(const std::filesystem::path& directory)
{
    try {
        trace::copyLeftoverRings(directory);
        recoverAndTell(directory);
    } catch (const Error& error) {
        fmt::print(stderr, "ringside: warning: rings were not recovered: {}\n  Try: ringside recover {}\n",
                   error.what(), directory.string());
    }
}

int run(const Options& options)
{
    const std::filesystem::path directory =
        options.directory.empty() ? defaultRunDirectory() : std::filesystem::absolute(options.directory);
    const RecordSettings settings{directory, findCollector(), options.profile};
    createRunDirectory(directory);
    prepareEnvironment(settings);
    const int code = runCommand(options.command);
    if (code != kNotFound && code != kNotExecutable) {
        collectLeftovers(directory);
        printSummary(directory);
    }
    return code;
}

Action declare(CLI::App& app)
{
    const auto options = std::make_shared<Options>();
    app.add_option("-o,--output", options->directory,
                   "Run directory to make; default: ringside-DATE-TIME.ringside here");
    app.add_option("--profile", options->profile,
                   "auto: light, and the device tier for steps 10 to 60; light: no device tier; standard: "
                   "device tier "
                   "throughout; off: preload only")
        ->check(CLI::IsMember({"auto", "light", "standard", "off"}))
        ->capture_default_str();
    app.add_option("COMMAND", options->command, "Command and its arguments, after --")->required();
    return [options] { return run(*options); };
}

} // namespace
} // namespace ringside::cli

RINGSIDE_COMMAND(record, .summary = "Run a command and record what its ranks do",
                 .declare = ringside::cli::declare, .failureCode = ringside::cli::kRecordFailed);
