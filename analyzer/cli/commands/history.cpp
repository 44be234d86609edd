// SPDX-License-Identifier: Apache-2.0
// `ringside history RUN...`: finds GPUs that are slow in several jobs, whatever rank they had.
#include "compare/history.h"

#include "cli/command.h"
#include "cli/option_values.h"
#include "cli/run_input.h"
#include "cli/run_report.h"
#include "cli/standard_streams.h"
#include "cli/team.h"
#include "cli/terminal.h"

#include <memory>

namespace ringside::cli::command_history {
namespace {

struct Options {
    RunPaths runs;
    std::string format = "text";
    double excess = 5;
    std::uint64_t rowBytes = stretches::kDefaultRowBytes;
    ModelArguments modelArguments;
};

/// A report is let go once its figures are taken: there may be many runs.
void addRuns(const Options& options, compare::HistoryBuilder& builder)
{
    const model::ModelOptions modelOptions = options.modelArguments.modelOptions();
    for (const std::filesystem::path& run : options.runs) {
        if (const auto report = reportOn({{run}, {}, modelOptions, options.rowBytes})) {
            builder.add(*report);
        }
    }
}

int history(const Options& options)
{
    constexpr double kPercent = 100;
    compare::HistoryBuilder builder(options.excess / kPercent);
    addRuns(options, builder);
    if (team() != nullptr && team()->rank() > 0) {
        return kPass;
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
    addMemoryOption(app, options->rowBytes);
    app.add_option("--format", options->format, "Output format")
        ->check(CLI::IsMember({"text", "markdown", "json"}))
        ->capture_default_str();
    app.add_option("--excess", options->excess,
                   "A GPU is slow if it computes longer than its peers by more than this")
        ->type_name("PERCENT")
        ->transform(percent(0, 1000))
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
