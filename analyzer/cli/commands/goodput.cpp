// SPDX-License-Identifier: Apache-2.0
// `ringside goodput RUN...`: where the time of a job went, over its restarts.
#include "compare/goodput.h"

#include "cli/command.h"
#include "cli/page_output.h"
#include "cli/run_input.h"
#include "import/open_run.h"

#include <memory>

namespace ringside::cli::command_goodput {
namespace {

struct Options {
    RunPaths runs;
    std::string format = "text";
    ModelArguments modelArguments;
};

int goodput(const Options& options)
{
    compare::GoodputBuilder builder(options.modelArguments.modelOptions());
    for (const std::filesystem::path& run : importers::runsIn(options.runs)) {
        builder.add(openRun({importers::namedPath(run)}));
    }
    const compare::Goodput result = builder.finish();
    printPage(
        options.format, [&] { return compare::jsonOf(result); },
        [&] {
            return compare::documentOf(result,
                                       importers::namedPath(options.runs.front()).filename().string());
        });
    return kPass;
}

Action declare(CLI::App& app)
{
    const auto options = std::make_shared<Options>();
    app.add_option("RUN", options->runs, "Runs of one job, each a restart of the one before; or their folder")
        ->required();
    addModelOptions(app, options->modelArguments);
    addPageFormatOption(app, options->format);
    return [options] { return goodput(*options); };
}

constexpr std::array<Example, 2> kExamples{{
    {"ringside goodput job/", "Where the time of all runs in a folder went."},
    {"ringside goodput monday.ringside tuesday.ringside --format html > goodput.html", "The same as a page."},
}};

} // namespace

RINGSIDE_COMMAND(goodput, .summary = "Show where the time of a job went, over its restarts",
                 .group = Group::Understand, .examples = kExamples, .declare = declare);

} // namespace ringside::cli::command_goodput
