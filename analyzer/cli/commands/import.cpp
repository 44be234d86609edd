// SPDX-License-Identifier: Apache-2.0
// `ringside import FILES... -o RUN`: keeps files of another tool as a native run, to query, merge and show.
#include "cli/command.h"
#include "cli/run_directory.h"
#include "cli/run_input.h"
#include "cli/talk.h"
#include "import/importer.h"
#include "import/write_run.h"

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
    note("ringside: {} process{} imported into {}\n", trace.processes.size(),
         trace.processes.size() == 1 ? "" : "es", options.output);
    return kPass;
}

std::string readable()
{
    std::string text = "What is read (files are told by their contents):";
    for (const importers::Importer* const importer : importers::all()) {
        text += fmt::format("\n  {}: {}", importer->title, importer->files);
    }
    return text;
}

Action declare(CLI::App& app)
{
    const auto options = std::make_shared<Options>();
    app.footer(readable());
    app.add_option("FILES", options->run, "Files of another tool, or a directory of such: one run")
        ->required();
    app.add_option("-o,--output", options->output, "Run directory to make")->type_name("RUN")->required();
    return [options] { return run(*options); };
}

constexpr std::array<Example, 2> kExamples{{
    {"ringside import profiles/ -o run.ringside", "A run of a folder with the PyTorch profiler's files."},
    {"ringside import report.sqlite -o run.ringside", "The same of an export of Nsight Systems."},
}};

} // namespace

RINGSIDE_COMMAND(import, .summary = "Make a run of another tool's traces", .group = Group::Convert,
                 .examples = kExamples, .declare = declare);

} // namespace ringside::cli::command_import
