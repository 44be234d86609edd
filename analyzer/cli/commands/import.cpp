// SPDX-License-Identifier: Apache-2.0
// `ringside import FILES... -o RUN`: converts files of another tool to a native run that can be queried,
// merged and shown.
#include "cli/command.h"
#include "cli/run_directory.h"
#include "cli/run_input.h"
#include "import/importer.h"
#include "import/write_run.h"
#include "output/messages.h"

#include <fmt/format.h>

#include <memory>

namespace ringside::cli::command_import {
namespace {

struct Options {
    RunPaths run;
    std::string output;
};

int run(const Options& options)
{
    const trace::RunTrace trace = openRun(options.run);
    createRunDirectory(options.output);
    importers::writeRun(trace, options.output);
    output::printNote("ringside: {} process{} imported into {}\n", trace.processes.size(),
                      trace.processes.size() == 1 ? "" : "es", options.output);
    return kPass;
}

std::string readable()
{
    std::string text = "Formats (recognized by content):";
    for (const importers::Importer* const importer : importers::all()) {
        text += fmt::format("\n  {}: {}", importer->title, importer->files);
    }
    return text;
}

Action declare(CLI::App& app)
{
    const auto options = std::make_shared<Options>();
    app.footer(readable());
    app.add_option("FILES", options->run,
                   "Files of another tool, or a directory of them; all together become one run")
        ->required();
    app.add_option("-o,--output", options->output, "Run directory to create")->type_name("RUN")->required();
    return [options] { return run(*options); };
}

constexpr std::array<Example, 2> kExamples{{
    {"ringside import profiles/ -o run.ringside", "Converts a folder with files of the PyTorch profiler."},
    {"ringside import report.sqlite -o run.ringside", "Converts an SQLite export of Nsight Systems."},
}};

} // namespace

RINGSIDE_COMMAND(import, .summary = "Convert another tool's traces to a run", .group = Group::Convert,
                 .examples = kExamples, .declare = declare);

} // namespace ringside::cli::command_import
