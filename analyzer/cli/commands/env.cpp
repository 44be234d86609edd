// SPDX-License-Identifier: Apache-2.0
// `ringside env`: prints the variables that `record` would set, for launchers that accept no command prefix.
#include "cli/command.h"
#include "cli/preload.h"
#include "cli/recording_options.h"
#include "cli/run_directory.h"
#include "cli/standard_streams.h"
#include "cli/trial_run.h"
#include "output/messages.h"
#include "trace/shell_word.h"

#include <ringside/error.h>

#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

namespace ringside::cli::command_env {
namespace {

using Variable = std::pair<std::string, std::string>;

struct Options {
    std::string directory;
    std::string format = "sh";
    RecordingOptions recording;
};

std::string quoted(const std::string& text)
{
    return nlohmann::json(text).dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
}

/// Formats: sh for eval; slurm for the output of a task prolog; docker for a file for --env-file; kubernetes
/// for the list `env` of a container.
std::string lineOf(const Variable& variable, const std::string& format)
{
    const auto& [name, value] = variable;
    return format == "sh"           ? fmt::format("export {}={}\n", name, trace::shellWord(value))
           : format == "slurm"      ? fmt::format("export {}={}\n", name, value)
           : format == "kubernetes" ? fmt::format("- name: {}\n  value: {}\n", name, quoted(value))
                                    : fmt::format("{}={}\n", name, value);
}

std::string jsonOf(const std::vector<Variable>& variables)
{
    std::string text;
    for (const auto& [name, value] : variables) {
        text += fmt::format("{}  {}: {}", text.empty() ? "" : ",\n", quoted(name), quoted(value));
    }
    return "{\n" + text + "\n}\n";
}

std::filesystem::path collectorToPrint()
{
    std::filesystem::path collector = findCollector();
    if (!fitsPreload(collector)) {
        throw Error(ErrorCode::Io,
                    fmt::format("LD_PRELOAD cannot hold the path {}: it has a space, a colon or a $",
                                collector.string()),
                    "Set RINGSIDE_COLLECTOR to a permanent link whose path has none of these characters.");
    }
    if (const std::string why = whyNotLoadable(collector); !why.empty()) {
        output::printMessage("ringside: warning: {} cannot be loaded on this machine: {}\n",
                             collector.string(), why);
    }
    return collector;
}

/// Makes the path absolute: processes may run in any folder.
std::filesystem::path runToPrint(const Options& options)
{
    std::filesystem::path run =
        std::filesystem::absolute(options.directory.empty() ? newRunName() + ".ringside" : options.directory)
            .lexically_normal();
    if (run.native().find('\n') != std::string::npos) {
        throw Error(ErrorCode::Usage, "the name of the run directory contains a line break",
                    "Give another name with -o.");
    }
    return run;
}

int run(const Options& options)
{
    checkRecordingOptions(options.recording);
    const std::vector<Variable> variables = recordingEnvironment(
        {runToPrint(options), collectorToPrint(), recordingVariables(options.recording)});
    if (options.format == "json") {
        printResult(jsonOf(variables));
        return kPass;
    }
    for (const Variable& variable : variables) {
        printResult(lineOf(variable, options.format));
    }
    return kPass;
}

Action declare(CLI::App& app)
{
    const auto options = std::make_shared<Options>();
    app.add_option("-o,--output", options->directory,
                   "Run directory that every process creates or joins. All hosts must see it. "
                   "Default: ringside-DATE-TIME.ringside here")
        ->type_name("RUN");
    app.add_option("--format", options->format,
                   "sh: for eval; json; docker: for --env-file of docker and podman; slurm: the output "
                   "of a task prolog; kubernetes: the list env of a container")
        ->check(CLI::IsMember({"sh", "json", "docker", "slurm", "kubernetes"}))
        ->capture_default_str();
    addRecordingOptions(app, options->recording);
    return [options] { return run(*options); };
}

constexpr std::array<Example, 3> kExamples{{
    {"(eval \"$(ringside env -o /shared/run.ringside)\"; mpirun -x LD_PRELOAD -x RINGSIDE_DIR ./train)",
     "For one command; the parentheses leave your shell unchanged."},
    {"ringside env -o /job/run.ringside --format docker > recording.env",
     "For docker run --env-file recording.env, with the installation mounted under the same path."},
    {"ringside env -o /shared/run.ringside --format slurm", "For the output of a Slurm task prolog."},
}};

} // namespace

RINGSIDE_COMMAND(env, .summary = "Print the variables for launchers that accept no prefix",
                 .group = Group::Record, .examples = kExamples, .declare = declare);

} // namespace ringside::cli::command_env
