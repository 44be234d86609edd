// SPDX-License-Identifier: Apache-2.0
// `ringside scaling RUN...`: what more ranks bring, and what eats the rest.
#include "compare/scaling.h"

#include "cli/command.h"
#include "cli/run_input.h"
#include "cli/standard_streams.h"
#include "cli/terminal.h"

#include <fmt/format.h>

#include <memory>

namespace ringside::cli::command_scaling {
namespace {

/// Practitioners' guides call 5 to 7 times faster on 8 GPUs usual.
constexpr double kFewest = 0.7;

struct Options {
    RunPaths runs;
    std::string format = "text";
    bool shared = false;
    double gate = 0;
    ToldOfRun told;
};

int scaling(const Options& options)
{
    const model::ModelOptions told = options.told.modelOptions();
    std::vector<report::Report> runs;
    for (const std::filesystem::path& run : options.runs) {
        runs.push_back(report::buildReport(openRun({run}), {}, told));
    }
    const compare::Scaling result =
        compare::scalingOf(runs, options.shared ? compare::Work::Shared : compare::Work::PerRank);
    const double fewest = options.gate > 0 ? options.gate : kFewest;
    printResult(options.format == "json"
                    ? compare::jsonOf(result)
                    : compare::textOf(result, fewest, options.format == "markdown", proseWidth()));
    return options.gate > 0 && result.low(options.gate) ? kFindings : kPass;
}

Action declare(CLI::App& app)
{
    const auto options = std::make_shared<Options>();
    app.add_option("RUN", options->runs, "Runs of one job on different numbers of ranks")->required();
    addModelOptions(app, options->told);
    app.add_option("--format", options->format, "How to print it")
        ->check(CLI::IsMember({"text", "markdown", "json"}))
        ->capture_default_str();
    app.add_flag("--shared-work", options->shared,
                 "The ranks share the same work (a fixed global batch); else each does the same");
    app.add_option("--gate", options->gate, "Exit with 1 when the efficiency is below, such as 0.7")
        ->type_name("EFFICIENCY")
        ->check(CLI::Range(0.01, 1.0));
    return [options] { return scaling(*options); };
}

constexpr std::array<Example, 1> kExamples{{
    {"ringside scaling 1gpu.ringside 2gpu.ringside 4gpu.ringside",
     "Speed-up and efficiency, and what eats the rest."},
}};

} // namespace

RINGSIDE_COMMAND(scaling, .summary = "Say what more ranks bring", .group = Group::Understand,
                 .examples = kExamples, .gate = {.option = "--gate"}, .declare = declare);

} // namespace ringside::cli::command_scaling
