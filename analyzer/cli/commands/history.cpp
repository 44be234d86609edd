// SPDX-License-Identifier: Apache-2.0
// `ringside history RUN...`: finds GPUs that are slow in several jobs, whatever rank they had.
#include "compare/history.h"

#include "cli/command.h"
#include "cli/run_input.h"
#include "cli/standard_streams.h"
#include "cli/terminal.h"

#include <memory>

namespace ringside::cli::command_history {
namespace {

struct Options {
    RunPaths runs;
    std::string format = "text";
    double excess = 5;
    ModelArguments modelArguments;
};

int history(const Options& options)
{
    constexpr double kPercent = 100;
    const model::ModelOptions modelOptions = options.modelArguments.modelOptions();
    compare::HistoryBuilder builder(options.excess / kPercent);
    for (const std::filesystem::path& run : options.runs) {
        builder.add(report::buildReport(openRun({run}), {}, modelOptions));
    }
    const compare::History result = builder.finish();
    printResult(options.format == "json"
                    ? compare::jsonOf(result)
                    : compare::textOf(result, options.format == "markdown", proseWidth()));
    return kPass;
}

Action declare(CLI::App& app)
{
    const auto options = std::make_shared<Options>();
    app.add_option("RUN", options->runs, "Runs of any jobs on the same cluster")->required();
    addModelOptions(app, options->modelArguments);
    app.add_option("--format", options->format, "Output format")
        ->check(CLI::IsMember({"text", "markdown", "json"}))
        ->capture_default_str();
    app.add_option("--excess", options->excess,
                   "A GPU is slow if it computes longer than its peers by more than this, in percent")
        ->type_name("PERCENT")
        ->check(CLI::Range(0.0, 1000.0))
        ->capture_default_str();
    return [options] { return history(*options); };
}

constexpr std::array<Example, 1> kExamples{{
    {"ringside history monday.ringside tuesday.ringside friday.ringside",
     "Names GPUs that were slower than their peers in all of these jobs."},
}};

} // namespace

RINGSIDE_COMMAND(history, .summary = "Find GPUs that are slow in several jobs", .group = Group::Understand,
                 .examples = kExamples, .declare = declare);

} // namespace ringside::cli::command_history
