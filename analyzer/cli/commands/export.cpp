// SPDX-License-Identifier: Apache-2.0
// `ringside export RUN --format FORMAT -o OUTPUT`: writes a run for other programs.
#include "cli/command.h"
#include "cli/messages.h"
#include "cli/run_input.h"
#include "export/exporter.h"

#include <ringside/error.h>

#include <fmt/format.h>
#include <sys/stat.h>

#include <memory>

namespace ringside::cli::command_export {
namespace {

struct Options {
    RunPaths run;
    std::string format;
    std::string output;
    ModelArguments modelArguments;
};

int write(const Options& options)
{
    const model::ModelOptions modelOptions = options.modelArguments.modelOptions();
    std::error_code absent;
    if (std::filesystem::exists(std::filesystem::symlink_status(options.output, absent))) {
        throw Error(ErrorCode::Usage, fmt::format("{} exists already", options.output),
                    "Give another name with -o, or remove it.");
    }
    for (const exporting::Exporter* const exporter : exporting::all()) {
        if (exporter->id == options.format) {
            if (!exporter->forOthers) {
                umask(S_IRWXG | S_IRWXO); // readable by the user only, like the run
            }
            exporter->write(report::buildReport(openRun(options.run), {}, modelOptions), options.output);
            printNote("ringside: {} written to {}\n", exporter->title, options.output);
        }
    }
    return kPass;
}

Action declare(CLI::App& app)
{
    const auto options = std::make_shared<Options>();
    std::vector<std::string> formats;
    std::string help = "Formats:";
    for (const exporting::Exporter* const exporter : exporting::all()) {
        formats.emplace_back(exporter->id);
        help += fmt::format(" {}, {};", exporter->id, exporter->title);
    }
    help.pop_back();
    addRunOption(app, options->run);
    addModelOptions(app, options->modelArguments);
    app.add_option("--format", options->format, help)->check(CLI::IsMember(formats))->required();
    app.add_option("-o,--output", options->output, "File or folder to create; must not exist")
        ->type_name("PATH")
        ->required();
    return [options] { return write(*options); };
}

constexpr std::array<Example, 2> kExamples{{
    {"ringside export run.ringside --format perfetto -o trace.zip",
     "For ui.perfetto.dev, all ranks on one clock."},
    {"ringside export run.ringside --format csv -o tables", "A folder with one CSV file for each table."},
}};

} // namespace

RINGSIDE_COMMAND(export, .summary = "Convert a run for Perfetto, SQLite or Prometheus, or to CSV",
                 .group = Group::Convert, .examples = kExamples, .declare = declare);

} // namespace ringside::cli::command_export
